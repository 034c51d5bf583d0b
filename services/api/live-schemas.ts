import { z } from 'zod'
import { described, namedObject } from './openapi-component.ts'
import { parameter } from './pagination-schemas.ts'
import { INVALID, request } from './text.ts'

/** The change feed of open pages. An event names kinds of data and carries none: pages read them again. */

/**
 * The topics that may have changed. For a trader, their own data: user, account, payouts, certificates.
 * For administrators: users (with their accounts) and payouts of all traders.
 */
export const Topic = z.enum(['user', 'account', 'payouts', 'certificates', 'users'])
export type Topic = z.infer<typeof Topic>

/** The event for changes; unnamed, so that `onmessage` receives it. */
export const Changes = namedObject('Changes', { topics: z.array(Topic) })
export type Changes = z.infer<typeof Changes>

/** The name of the event that begins the stream: data read before it may be older than the feed. */
export const READY_EVENT = 'ready'

/** The name of the event that ends the stream, since the session may have ended. A client with a session may reconnect. */
export const ENDED_EVENT = 'ended'

/** GET /api/live: where to resume, for a client that can't send Last-Event-ID. */
export const LiveStart = request({
  after: described('The id of the last event received', parameter(z.string({ error: INVALID }).max(50, INVALID).optional())),
})
