import type { Logger } from 'pino'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import type { Throttle } from './http/throttle.ts'

/**
 * What the server halves of subjects are given. Each context says in its `parts.ts` what its subjects need beside this;
 * the composition root must satisfy all of them.
 */
export interface Parts {
  /** For the handlers of commands. */
  readonly commands: HandlerParts
  /** For the handlers of queries. */
  readonly queries: HandlerParts & { readonly readModels: ReadModels }
  /** For policies and erasure. */
  readonly policies: Pick<HandlerParts, 'repositories'>
}

interface HandlerParts {
  readonly repositories: Repositories
  readonly throttle: Throttle
  readonly log: Logger
  /** Ms since 1970. */
  readonly now: () => number
}
