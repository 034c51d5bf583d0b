import type { FactsQuery, Moment } from '../api/index.ts'
import type { RecordedEvent } from '../event-sourcing/codec/event-codec.ts'
import { eventNumber } from '../event-sourcing/codec/event-number.ts'
import type { Actor } from '../event-sourcing/codec/metadata.ts'
import type { StreamRevision } from './timeline-filter.ts'
import type { ActorFormatter } from './audit-entry.ts'

/** What is remembered of a fact, to find it again without reading the log: nothing personal, and no data. */
export interface TimelineEntry extends StreamRevision {
  readonly number: number
  /** Ms since 1970. */
  readonly at: number
  readonly type: string
  readonly actor: Actor
}

export function timelineEntryOf(fact: RecordedEvent): TimelineEntry {
  return { number: eventNumber(fact), at: fact.at, type: fact.type, stream: fact.stream, revision: fact.revision, actor: sharedActor(fact.metadata.actor) }
}

const actors = new Map<string, Actor>()
/** Forgotten all at once when there are more: they are there to save memory. */
const MAX_CACHED_ACTORS = 10_000

/** One object an actor, however many facts name it. */
function sharedActor(actor: Actor): Actor {
  const name = JSON.stringify(actor)
  const known = actors.get(name)
  if (known) return known
  if (actors.size >= MAX_CACHED_ACTORS) actors.clear()
  actors.set(name, actor)
  return actor
}

export type EntryFilter = Pick<FactsQuery, 'from' | 'to' | 'type' | 'actor'>

/** Whether a filter lets a fact through. Actors are compared as the reader knows them, so that nobody finds out a name by asking. */
export function matchesFilter(
  { from, to, type, actor }: EntryFilter,
  name: ActorFormatter,
): (entry: Pick<TimelineEntry, 'number' | 'at' | 'type' | 'actor'>) => boolean {
  return (entry) => {
    if (from && isBefore(entry, from)) return false
    if (to && isAfter(entry, to)) return false
    if (type && !type.has(entry.type)) return false
    if (actor === undefined) return true
    const { kind, label } = name(entry.actor)
    return actor === kind || actor === label
  }
}

function isBefore(entry: Pick<TimelineEntry, 'number' | 'at'>, moment: Moment): boolean {
  return 'number' in moment ? entry.number < moment.number : entry.at < moment.time
}

function isAfter(entry: Pick<TimelineEntry, 'number' | 'at'>, moment: Moment): boolean {
  return 'number' in moment ? entry.number > moment.number : entry.at > moment.time
}
