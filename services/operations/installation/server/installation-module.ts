import type { OperationsParts } from '#services/operations/parts.ts'
import type { Commands, Module } from '#services/framework/module.ts'
import { installationSubject } from '../installation-subject.ts'
import { systemQueries } from './installation-queries.ts'
import { INSTALLATION_ID, installationStreams, requestRetry } from '#services/framework/streams/installation.ts'
import type { systemRoutes } from '../installation-api.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { done } from '#services/framework/http/serve-route.ts'

export const installationModule: Module<typeof installationSubject, OperationsParts> = {
  subject: installationSubject,
  commands: systemCommands,
  queries: systemQueries,
  erase: async (owner, _context, { mails }) => {
    await mails.forget(owner)
    return undefined
  },
}

/** Requests of administrators to the worker: events, which the worker reads and carries out. */
function systemCommands({ repositories, findDeadLetter }: OperationsParts['commands']) {
  const installations = repositories.of(installationStreams)
  return {
    retryEvent: async ({ params, context }) => {
      const event = await findDeadLetter(params.id)
      if (!event) throw new HttpError(404, { message: 'There is no dead letter with this event' })
      const { reader, stream, revision } = event
      const { position } = await installations.decide(INSTALLATION_ID, context, () =>
        requestRetry({ reader, stream, revision }),
      )
      return done(position)
    },
  } satisfies Partial<Commands<typeof systemRoutes>>
}
