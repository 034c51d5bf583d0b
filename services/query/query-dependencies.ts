import type { Express } from 'express'
import type { Logger } from 'pino'
import type { EventStore, Position } from '../../infra/event-store/event-store.ts'
import { comparePositions } from '../../infra/event-store/event-store.ts'
import type { FileStore } from '../../infra/file-store/file-store.ts'
import type { Outbox } from '../../infra/outbox/outbox.ts'
import type { ReadModelStore } from '../../infra/read-model-store/read-model-store.ts'
import type { Config } from '../config.ts'
import { type Route, SHOWN_HEADER, type SystemPart } from '../api/index.ts'
import type { AccessControl } from '../http/access-control.ts'
import { HttpError } from '../http/http-errors.ts'
import { requestedPosition } from '../http/position-header.ts'
import { type Call, type Reply, serve } from '../http/serve-route.ts'
import type { Repositories } from '../event-sourcing/aggregate-repository.ts'
import type { PersonKeys } from '../event-sourcing/crypto-shredding/person-keys.ts'
import type { Secrets } from '../keys/derived-secrets.ts'
import type { PublishedSeals } from '../proof/published-seals.ts'
import type { ReadModels } from '../event-sourcing/projections/read-models.ts'
import type { Projection } from '../event-sourcing/projections/projection.ts'

/** What the query service's handlers work with. */
export interface QueryDependencies {
  readonly config: Config
  readonly views: ReadModels
  readonly eventStore: EventStore
  readonly personKeys: PersonKeys
  readonly secrets: Pick<Secrets, 'requestDigest'>
  readonly publishedSeals: PublishedSeals
  readonly files: FileStore
  readonly readModelStore: ReadModelStore
  readonly outbox: Pick<Outbox, 'counts' | 'failed'>
  /** Whether each store and transport is there. */
  readonly componentStates: () => Promise<SystemPart[]>
  /** The name of who reacts to facts, among the readers of the log. */
  readonly reactions: string
  readonly accessControl: AccessControl
  readonly secureCookies: boolean
  readonly repositories: Repositories
  readonly log: Logger
  readonly now: () => number
  /** Aborts when the service is about to stop: answers that would never end are ended. */
  readonly closing: AbortSignal
}

/** Registers a handler of a read. It runs once the views that it reads have reached the position that the request carries. */
export type RegisterQuery = <const R extends Route>(route: R, views: readonly Projection[], handle: (call: Call<R>) => Promise<Reply | undefined>) => void

const LAG_RETRY_SECONDS = 2

export function createQueryRegistrar(app: Express, { accessControl, secureCookies, views, eventStore }: QueryDependencies): RegisterQuery {
  const isReached = async (asked: Position, needed: readonly Projection[]): Promise<boolean> => {
    const waiting = views.waitFor(needed, asked)
    waiting.catch(() => {})
    // While the log can't be asked, what the views have is enough.
    return (await isBeyondLog(asked, eventStore).catch(() => false)) || waiting
  }
  return (route, needed, handle) =>
    serve(app, route, { accessControl: accessControl, secureCookies }, async (call) => {
      const asked = needed.length > 0 ? requestedPosition(call.request) : undefined
      if (asked && !(await isReached(asked, needed)))
        throw new HttpError(503, { message: 'This page is not up to date yet. Please try again in a moment.' }, LAG_RETRY_SECONDS)
      // Before anything is read: what comes in between is then told to listeners rather than missed.
      if (needed.length > 0) call.response.setHeader(SHOWN_HEADER, await views.visibleUpTo(needed))
      return handle(call)
    })
}

/** A position that this log never reached (it was restored, or somebody made it up): waiting for it would be for ever. */
export async function isBeyondLog(asked: Position, eventStore: EventStore): Promise<boolean> {
  return comparePositions(asked, await eventStore.end()) > 0
}
