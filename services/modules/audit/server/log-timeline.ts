import type { Checkpoint, EventStore, StoredEvent } from '#infra/event-store/event-store.ts'
import type { AuditFact } from '../audit-api.ts'
import type { Actor } from '#services/api/actor.ts'
import { eventRegistry, personIdOf } from '#services/modules/subjects.ts'
import { decodeEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { isAuthentic } from '#services/event-sourcing/codec/event-authentication.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { createKeyedQueue } from '#services/event-sourcing/keyed-queue.ts'
import { readLog } from '#services/event-sourcing/read-log.ts'
import { formatActorInFull, toAuditEntry } from '../audit-entry.ts'
import { type EntryFilter, matchesFilter, type TimelineEntry, timelineEntryOf } from './timeline-entries.ts'

interface LogTimelineQuery {
  readonly descending: boolean
  readonly limit: number
  /** The number of the last event on the page before. */
  readonly cursor: number | undefined
}

interface LogTimelinePage {
  readonly entries: readonly AuditFact[]
  /** Where the next page begins; undefined at the end. A page may be short, or empty, although others follow. */
  readonly nextCursor: number | undefined
}

/** A summary of consecutive events. */
interface LogSegment {
  /** Reading begins after it. */
  readonly after: Checkpoint | undefined
  readonly first: number
  readonly last: number
  readonly count: number
  /** Times, in ms since 1970. */
  readonly from: number
  readonly to: number
  readonly types: ReadonlySet<string>
  readonly actors: ReadonlyMap<string, Actor>
}

/** Events of a segment. */
const SEGMENT_SIZE = 1_000
/** Segments that one page reads at most: a search for something rare takes more pages instead of a long wait. */
const MAX_SEGMENTS_READ = 40

/**
 * Searches the whole log. There is no read model of it, which would be as large as the log: a summary of each segment
 * says who did something in it and what, and only segments that may match are read.
 */
export function createLogTimeline({
  eventStore,
  personKeys,
}: {
  readonly eventStore: EventStore
  readonly personKeys: Pick<PersonKeys, 'get'>
}) {
  const segments: LogSegment[] = []
  let end: Checkpoint | undefined
  const queue = createKeyedQueue()

  const summarizeNew = async (): Promise<void> => {
    // The last segment may be incomplete.
    const last = segments.at(-1)
    if (last && last.count < SEGMENT_SIZE) {
      segments.pop()
      end = last.after
    }
    for await (const { events, checkpoint } of readLog(eventStore, end, { batchSize: SEGMENT_SIZE })) {
      const authentic = events.filter(isAuthentic)
      if (authentic.length > 0) segments.push(summarize(end, authentic.map(timelineEntryOf)))
      end = checkpoint
    }
  }

  const read = async ({ after, last }: LogSegment): Promise<TimelineEntry[]> => {
    const events: StoredEvent[] = []
    for await (const batch of readLog(eventStore, after, { batchSize: SEGMENT_SIZE })) {
      events.push(...batch.events.filter((event) => Number(event.position) <= last && isAuthentic(event)))
      if (Number(batch.position) >= last) break
    }
    return events.map(timelineEntryOf)
  }

  const decode = async (entries: readonly TimelineEntry[]): Promise<AuditFact[]> => {
    const keys = await personKeys.get(entries.flatMap(({ stored }) => personIdOf(stored.stream) ?? []))
    return entries.map(({ stored }) =>
      toAuditEntry(decodeEvent(eventRegistry, stored, keys.get(personIdOf(stored.stream) ?? '')), formatActorInFull),
    )
  }

  return {
    async find(filter: EntryFilter, { descending, limit, cursor }: LogTimelineQuery): Promise<LogTimelinePage> {
      await queue('segments', summarizeNew)
      const isAhead = (number: number) => cursor === undefined || (descending ? number < cursor : number > cursor)
      const passesFilter = matchesFilter(filter, formatActorInFull)
      const candidates = segments.filter(
        (segment) => (isAhead(segment.first) || isAhead(segment.last)) && mayMatch(segment, filter),
      )
      if (descending) candidates.reverse()
      const found: TimelineEntry[] = []
      for (const [index, segment] of candidates.entries()) {
        if (index >= MAX_SEGMENTS_READ)
          return { entries: await decode(found), nextCursor: descending ? segment.last + 1 : segment.first - 1 }
        const entries = (await read(segment)).filter((entry) => isAhead(entry.number) && passesFilter(entry))
        found.push(...(descending ? entries.reverse() : entries))
        if (found.length > limit)
          return { entries: await decode(found.slice(0, limit)), nextCursor: found[limit - 1]?.number }
      }
      return { entries: await decode(found), nextCursor: undefined }
    },
  }
}

function summarize(after: Checkpoint | undefined, entries: readonly TimelineEntry[]): LogSegment {
  const numbers = entries.map(({ number }) => number)
  const times = entries.map(({ at }) => at)
  return {
    after,
    first: Math.min(...numbers),
    last: Math.max(...numbers),
    count: entries.length,
    from: Math.min(...times),
    to: Math.max(...times),
    types: new Set(entries.map(({ type }) => type)),
    // Traders are many: only that one of them did something is kept.
    actors: new Map(
      entries.map(({ actor }) => [actor.kind === 'trader' ? 'trader' : `${actor.kind} ${actor.label}`, actor]),
    ),
  }
}

function mayMatch({ first, last, from, to, types, actors }: LogSegment, filter: EntryFilter): boolean {
  if (filter.type && ![...filter.type].some((type) => types.has(type))) return false
  if (filter.from && ('number' in filter.from ? last < filter.from.number : to < filter.from.time)) return false
  if (filter.to && ('number' in filter.to ? first > filter.to.number : from > filter.to.time)) return false
  const { actor } = filter
  // Which trader did something is not kept: a search for one by id reads all segments in which any did.
  return (
    actor === undefined ||
    [...actors.values()].some(
      (by) => actor === by.kind || (!isActorKind(actor) && (by.kind === 'trader' || by.label === actor)),
    )
  )
}

const isActorKind = (actor: string) => actor === 'trader' || actor === 'admin' || actor === 'system'
