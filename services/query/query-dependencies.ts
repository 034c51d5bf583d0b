import { setTimeout as delay } from 'node:timers/promises'
import type { Express } from 'express'
import type { EventStore, Position } from '#infra/event-store/event-store.ts'
import { comparePositions } from '#infra/event-store/event-store.ts'
import type { Dependencies } from '#services/composition-root.ts'
import type { Route } from '#services/api/route.ts'
import { SHOWN_HEADER } from '#services/api/headers.ts'
import type { System, SystemPart } from '#services/modules/installation/installation-api.ts'
import type { DailyCount } from '#services/http/daily-count.ts'
import type { HttpDependencies } from '#services/http-dependencies.ts'
import { HttpError } from '#services/http/http-errors.ts'
import { requestedPosition } from '#services/http/position-header.ts'
import { type Call, type Reply, serve } from '#services/authentication/serve-route.ts'
import type { DamagedFiles } from '#services/modules/certificates/server/damaged-files.ts'
import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import type { Projection } from '#services/event-sourcing/read-models/projection.ts'

type SharedParts =
  | 'config'
  | 'eventStore'
  | 'readModelStore'
  | 'personKeys'
  | 'secrets'
  | 'publishedTree'
  | 'transparencyLog'
  | 'attestations'
  | 'fileStore'
  | 'outbox'
  | 'repositories'
  | 'log'
  | 'now'

/** The dependencies of the query handlers. */
export interface QueryDependencies extends Pick<Dependencies, SharedParts>, HttpDependencies {
  readonly readModels: ReadModels
  readonly damagedFiles: DamagedFiles
  /** Of this process. */
  readonly serverErrors: Pick<DailyCount, 'today'>
  /** Whether each store and transport is available. */
  readonly componentStates: () => Promise<SystemPart[]>
  /** The version, the disk, and the last backup and verification. */
  readonly installationState: () => Promise<System['installation']>
  /** The name of the subscription of the reactions. */
  readonly reactions: string
  /** Aborts when the service is about to stop, to end live streams. */
  readonly closing: AbortSignal
}

/** Registers a read. Its handler runs once the read models have reached the position the request carries. */
export type RegisterQuery = <const R extends Route>(route: R, projections: readonly Projection[], handle: (call: Call<R>) => Promise<Reply | undefined>) => void

const LAG_RETRY_SECONDS = 2

/** Longer than read models usually lag, in ms. Only then ask the log whether it ever reached the position. */
const USUAL_LAG_MS = 250

export function createQueryRegistrar(app: Express, { accessControl, secureCookies, readModels, eventStore }: QueryDependencies): RegisterQuery {
  const isReached = async (position: Position, needed: readonly Projection[]): Promise<boolean> => {
    if (comparePositions(await readModels.visibleUpTo(needed), position) >= 0) return true
    const settled = new AbortController()
    const reached = readModels.waitFor(needed, position)
    // While the log is unavailable, the read models alone decide.
    const isBeyond = delay(USUAL_LAG_MS, undefined, { signal: settled.signal }).then(() => isBeyondLog(position, eventStore))
    try {
      return await Promise.race([reached, isBeyond.then((beyond) => beyond || reached).catch(() => reached)])
    } finally {
      settled.abort()
    }
  }
  return (route, needed, handle) => {
    serve(app, route, { accessControl, secureCookies }, async (call) => {
      const position = needed.length > 0 ? requestedPosition(call.request) : undefined
      if (position && !(await isReached(position, needed))) throw notUpToDate()
      // Before the read, so that a live stream announces later changes.
      if (needed.length > 0) call.response.setHeader(SHOWN_HEADER, await readModels.visibleUpTo(needed))
      return handle(call)
    })
  }
}

/** The read models lag behind what the caller has done. */
export function notUpToDate(): HttpError {
  return new HttpError(503, { message: 'This page is not up to date yet. Please try again in a moment.' }, LAG_RETRY_SECONDS)
}

/** Whether the log never reached this position: it was restored, or the client made the position up. Such a wait would never end. */
export async function isBeyondLog(position: Position, eventStore: Pick<EventStore, 'end'>): Promise<boolean> {
  return comparePositions(position, await eventStore.end()) > 0
}
