import { setTimeout as delay } from 'node:timers/promises'
import type { Express } from 'express'
import { comparePositions, type Position } from '#infra/event-store/event-store.ts'
import { SHOWN_HEADER } from '#services/framework/api/headers.ts'
import type { Route } from '#services/framework/api/route.ts'
import { serve } from '#services/framework/http/serve-route.ts'
import type { Projection } from '#services/event-sourcing/read-models/projection.ts'
import { isBeyondLog, notUpToDate, requestedPosition } from '#services/framework/http/position-header.ts'
import type { PortalParts } from '#services/portal/parts.ts'
import type { Query } from '#services/framework/module.ts'

/** Longer than read models usually lag, in ms. Only then ask the log whether it ever reached the position. */
const USUAL_LAG_MS = 250

/** Registers a read. Its handler runs once the read models have reached the position the request carries. */
export function createQueryRegistrar(
  app: Express,
  { accessControl, secureCookies, readModels, eventStore }: PortalParts['queries'],
) {
  const isReached = async (position: Position, needed: readonly Projection[]): Promise<boolean> => {
    if (comparePositions(await readModels.visibleUpTo(needed), position) >= 0) return true
    const settled = new AbortController()
    const reached = readModels.waitFor(needed, position)
    // While the log is unavailable, the read models alone decide.
    const isBeyond = delay(USUAL_LAG_MS, undefined, { signal: settled.signal }).then(() =>
      isBeyondLog(position, eventStore),
    )
    try {
      return await Promise.race([reached, isBeyond.then((beyond) => beyond || reached).catch(() => reached)])
    } finally {
      settled.abort()
    }
  }
  return <const R extends Route>(route: R, { needs, handle }: Query<R>): void => {
    serve(app, route, { accessControl, secureCookies }, async (call) => {
      const position = needs.length > 0 ? requestedPosition(call.request) : undefined
      if (position && !(await isReached(position, needs))) throw notUpToDate()
      // Before the read, so that a live stream announces later changes.
      if (needs.length > 0) call.response.setHeader(SHOWN_HEADER, await readModels.visibleUpTo(needs))
      return handle(call)
    })
  }
}
