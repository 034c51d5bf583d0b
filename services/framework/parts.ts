import type { Logger } from 'pino'
import type { Position } from '#infra/event-store/event-store.ts'
import type { DomainEvent } from '#services/event-sourcing/event-definitions.ts'
import type { DecisionResult, Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import type { Throttle } from './http/throttle.ts'

/**
 * The server halves of subjects are given these parts. Each context says in its `parts.ts` what its subjects need
 * beside this; the composition root must satisfy all of them.
 */
export interface Parts {
  /** For the handlers of commands. */
  readonly commands: HandlerParts & { readonly react: React }
  /** For the handlers of queries. */
  readonly queries: HandlerParts & { readonly readModels: ReadModels }
  /** For policies and erasure. */
  readonly policies: Pick<HandlerParts, 'repositories' | 'now'> & { readonly react: React }
}

/**
 * Runs the policies on the events of a decision at once, on behalf of who made it. The worker runs them again, for the
 * process that died in between.
 *
 * @returns the position that this reached in the log.
 */
export type React = (decided: Pick<DecisionResult<unknown, DomainEvent>, 'events' | 'position'>) => Promise<Position>

interface HandlerParts {
  readonly repositories: Repositories
  readonly throttle: Throttle
  readonly log: Logger
  /** Ms since 1970. */
  readonly now: () => number
}
