import { z } from 'zod'
import { described, namedObject } from './openapi-component.ts'
import { parameter } from './pagination-schemas.ts'
import { INVALID, request } from './text.ts'

/**
 * The change feed of open pages. An event names subjects and carries no data: pages read again what they show of them.
 */

/**
 * The subjects that may have changed: 'users', 'accounts', 'payouts'. For a trader, in their own data; for staff, in
 * that of all. A client may meet names that it does not know.
 */
export const Changes = namedObject('Changes', { subjects: z.array(z.string()) })
export type Changes = z.infer<typeof Changes>

/** The name of the event that begins the stream: data read before it may be older than the feed. */
export const READY_EVENT = 'ready'

/**
 * The name of the event that ends the stream, since the session may have ended. A client with a session may reconnect.
 */
export const ENDED_EVENT = 'ended'

/** GET /api/live: where to resume, for a client that can't send Last-Event-ID. */
export const LiveStart = request({
  after: described(
    'The id of the last event received',
    parameter(z.string({ error: INVALID }).max(50, INVALID).optional()),
  ),
})
