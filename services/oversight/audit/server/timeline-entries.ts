import { z } from 'zod'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import type { EventsQuery, Moment } from '../audit-api.ts'
import { type Actor, actor } from '#services/framework/api/actor.ts'
import { metadata } from '#services/event-sourcing/codec/metadata.ts'
import type { ActorFormatter } from '../audit-entry.ts'

/** An event of a timeline, as it is stored: its personal fields are decrypted only for an answer. */
export interface TimelineEntry {
  readonly number: number
  /** Ms since 1970. */
  readonly at: number
  readonly type: string
  readonly actor: Actor
  readonly stored: StoredEvent
}

const timeAndActor = z.object({ at: metadata.shape.at, actor })

export function timelineEntryOf(stored: StoredEvent): TimelineEntry {
  return {
    number: Number(stored.position),
    type: stored.type,
    ...timeAndActor.parse(JSON.parse(stored.metadata)),
    stored,
  }
}

/** Returns the entry with a number, or the last up to a time. The entries are in their order. */
export function entryAt(entries: readonly TimelineEntry[], moment: Moment): TimelineEntry | undefined {
  if ('time' in moment) return entries.findLast((entry) => entry.at <= moment.time)
  return entries.find(({ number }) => number === moment.number)
}

export type EntryFilter = Pick<EventsQuery, 'from' | 'to' | 'type' | 'actor'>

/** Whether an entry passes a filter. Actors are compared as the reader sees them, so that no filter reveals a name. */
export function matchesFilter(
  { from, to, type, actor }: EntryFilter,
  format: ActorFormatter,
): (entry: TimelineEntry) => boolean {
  return (entry) => {
    if (from && compareMoment(entry, from) < 0) return false
    if (to && compareMoment(entry, to) > 0) return false
    if (type && !type.has(entry.type)) return false
    if (actor === undefined) return true
    const { kind, label } = format(entry.actor)
    return actor === kind || actor === label
  }
}

/** Below 0 for an entry before the moment, above 0 for one after it. */
function compareMoment(entry: TimelineEntry, moment: Moment): number {
  return 'number' in moment ? entry.number - moment.number : entry.at - moment.time
}
