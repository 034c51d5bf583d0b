import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import { z } from 'zod'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { type EventOf, defineEvents } from '#services/event-sourcing/event-definitions.ts'

/**
 * Which notices a trader has seen, on any device. A stream of its own: a look is no entry of the account's history, nor
 * is it in exports.
 */
export const noticeEvents = defineEvents({
  /** The trader has seen all notices up to the event with this number. */
  NoticesSeen: { upTo: z.int() },
})

export type NoticeEvent = EventOf<typeof noticeEvents>

export interface SeenNotices {
  /** The number of the newest event whose notice was seen; 0 for none. */
  readonly upTo: number
}

export const noticeDecider: Decider<SeenNotices, NoticeEvent> = {
  initial: { upTo: 0 },
  evolve: (_, { data }) => ({ upTo: data.upTo }),
}

/** Records that the notices up to an event were seen. A look without news records nothing. */
export function seeNotices(seen: SeenNotices, upTo: number): NoticeEvent[] {
  return upTo > seen.upTo ? [{ type: 'NoticesSeen', data: { upTo } }] : []
}

/** One for each trader who looked at notices, named after the user. It holds nothing personal. */
export const noticeStreams = aggregate('notices', noticeDecider, noticeEvents, null)
