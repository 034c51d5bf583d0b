import { z } from 'zod'
import { component, described } from './openapi-component.ts'
import { parameter } from './pagination-schemas.ts'
import { INVALID, request } from './text.ts'

/** The change feed of open pages. An event names kinds of data and carries none: pages read them again. */

/**
 * Kinds of things that may have changed. For a trader, what is their own: who they are, the account, payouts,
 * certificates. For administrators: users (with their accounts) and payouts, whosever.
 */
export const Topic = z.enum(['user', 'account', 'payouts', 'certificates', 'users'])
export type Topic = z.infer<typeof Topic>

/** The event that says that things changed; without a name, as `onmessage` hears it. */
export const Changes = component('Changes', z.object({ topics: z.array(Topic) }))
export type Changes = z.infer<typeof Changes>

/** The name of the event that begins the stream: data read before it may be older than the feed. */
export const READY_EVENT = 'ready'

/** The name of the event that ends the stream, as the session may have ended. A client with a session may reconnect. */
export const ENDED_EVENT = 'ended'

/** GET /api/live: where to go on, for a client that can't send Last-Event-ID. */
export const LiveStart = request({
  after: described('The id of the last event that was heard', parameter(z.string({ error: INVALID }).max(50, INVALID).optional())),
})
export type LiveStart = z.infer<typeof LiveStart>
