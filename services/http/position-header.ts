import { parse } from 'cookie'
import type { Request, Response } from 'express'
import { comparePositions, isPosition, type Position } from '../../infra/event-store/event-store.ts'
import { POSITION_COOKIE, POSITION_HEADER } from '../api/index.ts'
import { cookieName } from './cookies.ts'

/** How long a browser shows the position it reached, in ms: longer than any view should lag. */
const COOKIE_LIFETIME = 60_000

/** Tells the caller how far the log is after a change, as a header and as a cookie for the browser's next reads. */
export function setPositionHeader(response: Response, position: Position, secure: boolean): void {
  response.setHeader(POSITION_HEADER, position)
  response.cookie(cookieName(POSITION_COOKIE, secure), position, { httpOnly: true, secure, sameSite: 'lax', path: '/', maxAge: COOKIE_LIFETIME })
}

/**
 * The position to tell after a change: none before what the caller has seen. A change that found nothing to do is as old
 * as the last fact of its stream, and must not replace a newer position in the caller's cookie.
 */
export async function latestKnownPosition(request: Request, reached: Position, end: () => Promise<Position>): Promise<Position> {
  const seen = requestedPositions(request).filter((asked) => comparePositions(asked, reached) > 0)
  if (seen.length === 0) return reached
  // One that this log never had (it was restored, or somebody made it up) is not told on.
  const last = await end().catch(() => undefined)
  return seen.findLast((asked) => last === undefined || comparePositions(asked, last) <= 0) ?? reached
}

/** The position that a read must have reached: the latest one of header and cookies. */
export function requestedPosition(request: Request): Position | undefined {
  return requestedPositions(request).at(-1)
}

/** The latest is last. */
function requestedPositions(request: Request): Position[] {
  const cookies = parse(request.headers.cookie ?? '')
  const asked = [request.get(POSITION_HEADER), ...[true, false].map((secure) => cookies[cookieName(POSITION_COOKIE, secure)])]
  return asked.flatMap((text) => (text !== undefined && isPosition(text) ? [text] : [])).sort(comparePositions)
}
