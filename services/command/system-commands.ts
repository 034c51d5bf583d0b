import { routes } from '../api/index.ts'
import { requestRetry } from '../domain/installation/installation.ts'
import { HttpError } from '../http/http-errors.ts'
import { done } from '../http/serve-route.ts'
import { installations } from '../domain/streams.ts'
import { THIS } from '../use-cases/access-keys.ts'
import type { CommandParts, Register } from './command-dependencies.ts'

/** What administrators ask of the worker: it is a fact like any other, which the worker reads and does. */
export function registerSystemCalls(register: Register, { journal, findSetAside }: CommandParts): void {
  const installation = journal.of(installations)

  register(routes.retryEvent, async ({ params, context }) => {
    const event = await findSetAside(params.id)
    if (!event) throw new HttpError(404, { message: 'No such event is set aside' })
    const { reader, stream, revision } = event
    const { position } = await installation.change(THIS, context, () => requestRetry({ reader, stream, revision }))
    return done(position)
  })
}
