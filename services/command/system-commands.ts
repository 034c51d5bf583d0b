import { routes } from '../api/index.ts'
import { INSTALLATION_ID, requestRetry } from '../domain/installation/installation.ts'
import { HttpError } from '../http/http-errors.ts'
import { done } from '../http/serve-route.ts'
import { installations } from '../domain/streams.ts'
import type { CommandDependencies, RegisterCommand } from './command-dependencies.ts'

/** What administrators ask of the worker: it is a fact like any other, which the worker reads and does. */
export function registerSystemCommands(register: RegisterCommand, { repositories, findDeadLetter }: CommandDependencies): void {
  const installation = repositories.of(installations)

  register(routes.retryEvent, async ({ params, context }) => {
    const event = await findDeadLetter(params.id)
    if (!event) throw new HttpError(404, { message: 'No such event is set aside' })
    const { reader, stream, revision } = event
    const { position } = await installation.decide(INSTALLATION_ID, context, () => requestRetry({ reader, stream, revision }))
    return done(position)
  })
}
