import { systemRoutes } from '../installation-api.ts'
import { INSTALLATION_ID, requestRetry } from '../installation.ts'
import { HttpError } from '#services/http/http-errors.ts'
import { done } from '#services/authentication/serve-route.ts'
import type { CommandDependencies, RegisterCommand } from '#services/command/command-dependencies.ts'

/** Requests of administrators to the worker: events, which the worker reads and carries out. */
export function registerSystemCommands(register: RegisterCommand, { installations, findDeadLetter }: CommandDependencies): void {
  register(systemRoutes.retryEvent, async ({ params, context }) => {
    const event = await findDeadLetter(params.id)
    if (!event) throw new HttpError(404, { message: 'There is no dead letter with this event' })
    const { reader, stream, revision } = event
    const { position } = await installations.decide(INSTALLATION_ID, context, () => requestRetry({ reader, stream, revision }))
    return done(position)
  })
}
