import type { Request, Response } from 'express'
import { comparePositions, type EventStore, isPosition, type Position } from '#infra/event-store/event-store.ts'
import { POSITION_COOKIE, POSITION_HEADER } from '#services/framework/api/headers.ts'
import { cookieName, cookiesOf } from './cookies.ts'
import { HttpError } from './http-errors.ts'

/** How long a browser keeps the position of its last change, in ms: longer than read models should lag. */
const COOKIE_LIFETIME = 60_000

/** Sends the position of a change, as a header and as a cookie for the browser's next reads. */
export function setPositionHeader(response: Response, position: Position, secure: boolean): void {
  response.setHeader(POSITION_HEADER, position)
  response.cookie(cookieName(POSITION_COOKIE, secure), position, {
    httpOnly: true,
    secure,
    sameSite: 'lax',
    path: '/',
    maxAge: COOKIE_LIFETIME,
  })
}

/**
 * The position to send after a change: never older than what the caller has seen. A change without new events has the
 * position of its stream's last event, which must not replace a newer one in the caller's cookie.
 */
export async function latestKnownPosition(
  request: Request,
  reached: Position,
  end: () => Promise<Position>,
): Promise<Position> {
  const seen = requestedPositions(request).filter((requested) => comparePositions(requested, reached) > 0)
  if (seen.length === 0) return reached
  // Ignore positions this log never had: it was restored, or the client made them up.
  const last = await end().catch(() => undefined)
  return seen.findLast((requested) => last === undefined || comparePositions(requested, last) <= 0) ?? reached
}

/** The position a read must have reached: the latest one of header and cookies. */
export function requestedPosition(request: Request): Position | undefined {
  return requestedPositions(request).at(-1)
}

/** In ascending order. */
function requestedPositions(request: Request): Position[] {
  const cookies = cookiesOf(request)
  const candidates = [
    request.get(POSITION_HEADER),
    ...[true, false].map((secure) => cookies[cookieName(POSITION_COOKIE, secure)]),
  ]
  return candidates.flatMap((text) => (text !== undefined && isPosition(text) ? [text] : [])).sort(comparePositions)
}

const LAG_RETRY_SECONDS = 2

/** The read models lag behind what the caller has done. */
export function notUpToDate(): HttpError {
  return new HttpError(
    503,
    { message: 'This page is not up to date yet. Please try again in a moment.' },
    LAG_RETRY_SECONDS,
  )
}

/**
 * Whether the log never reached this position: it was restored, or the client made the position up. Such a wait would
 * never end.
 */
export async function isBeyondLog(position: Position, eventStore: Pick<EventStore, 'end'>): Promise<boolean> {
  return comparePositions(position, await eventStore.end()) > 0
}
