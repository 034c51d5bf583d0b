import { z } from 'zod'
import type { Checkpoint, EventStore, StoredEvent } from '../../infra/event-store/event-store.ts'
import type { AuditFact } from '../api/index.ts'
import { decodeEvent } from '../event-sourcing/codec/event-codec.ts'
import { actor, type Actor } from '../event-sourcing/codec/metadata.ts'
import type { PersonKeys } from '../event-sourcing/crypto-shredding/person-keys.ts'
import { eventRegistry, personIdOf } from '../domain/streams.ts'
import { type EntryFilter, matchesFilter } from './timeline-entries.ts'
import { formatActorInFull, toAuditEntry } from './audit-entry.ts'

/**
 * Everything that anybody did, from the whole log. There is no view of it, which would be as large as the log: of each
 * stretch of the log it is remembered who did something in it and what, and only stretches that may answer are read.
 */
export interface LogTimeline {
  find(filter: EntryFilter, page: LogTimelineQuery): Promise<LogTimelinePage>
}

export interface LogTimelineQuery {
  readonly descending: boolean
  readonly limit: number
  /** The last fact of the page before. */
  readonly cursor: number | undefined
}

export interface LogTimelinePage {
  readonly entries: readonly AuditFact[]
  /** Where to go on; undefined at the end. A page may be short, or empty, and others come after it. */
  readonly nextCursor: number | undefined
}

interface LogSegment {
  /** Reading begins after it. */
  readonly after: Checkpoint | undefined
  readonly first: number
  readonly last: number
  readonly count: number
  readonly from: number
  readonly to: number
  readonly types: ReadonlySet<string>
  readonly actors: ReadonlyMap<string, Actor>
}

/** Events of a stretch. */
const SEGMENT_SIZE = 1_000
/** Stretches that one page reads at most: who looks for something rare asks for more pages instead of waiting. */
const MAX_SEGMENTS_READ = 40

const front = z.object({ at: z.int(), actor })

export function createLogTimeline({ eventStore, personKeys }: { readonly eventStore: EventStore; readonly personKeys: Pick<PersonKeys, 'get'> }): LogTimeline {
  const stretches: LogSegment[] = []
  let end: Checkpoint | undefined
  let surveying: Promise<void> | undefined

  const survey = async (): Promise<void> => {
    // The last one may have been short.
    const last = stretches.at(-1)
    if (last && last.count < SEGMENT_SIZE) {
      stretches.pop()
      end = last.after
    }
    const stopped = new AbortController()
    for await (const { events, checkpoint, caughtUp } of eventStore.subscribe(end, { signal: stopped.signal, batchSize: SEGMENT_SIZE })) {
      const stretch = summarizeSegment(end, events)
      if (stretch) stretches.push(stretch)
      end = checkpoint
      if (caughtUp) stopped.abort()
    }
  }

  const upToDate = (): Promise<void> => {
    const before = surveying
    // One that began earlier may have missed what the caller has just recorded.
    const mine = (before ? before.then(survey, survey) : survey()).finally(() => {
      if (surveying === mine) surveying = undefined
    })
    surveying = mine
    return mine
  }

  const read = async ({ after, last }: LogSegment): Promise<StoredEvent[]> => {
    const stopped = new AbortController()
    const found: StoredEvent[] = []
    for await (const { events, position, caughtUp } of eventStore.subscribe(after, { signal: stopped.signal, batchSize: SEGMENT_SIZE })) {
      found.push(...events.filter((event) => Number(event.position) <= last))
      if (caughtUp || Number(position) >= last) stopped.abort()
    }
    return found
  }

  const told = async (events: readonly StoredEvent[]): Promise<AuditFact[]> => {
    const keys = await personKeys.get(events.flatMap(({ stream }) => personIdOf(stream) ?? []))
    return events.map((event) => toAuditEntry(decodeEvent(eventRegistry, event, keys.get(personIdOf(event.stream) ?? '')), formatActorInFull))
  }

  return {
    async find(filter, { descending, limit, cursor }) {
      await upToDate()
      const isAhead = (number: number) => cursor === undefined || (descending ? number < cursor : number > cursor)
      const passesFilter = matchesFilter(filter, formatActorInFull)
      const candidates = stretches.filter((stretch) => (isAhead(stretch.first) || isAhead(stretch.last)) && mayMatch(stretch, filter))
      if (descending) candidates.reverse()
      const found: StoredEvent[] = []
      for (const [index, stretch] of candidates.entries()) {
        if (index >= MAX_SEGMENTS_READ) return { entries: await told(found), nextCursor: descending ? stretch.last + 1 : stretch.first - 1 }
        const events = (await read(stretch)).filter((event) => {
          const number = Number(event.position)
          return isAhead(number) && passesFilter({ number, type: event.type, ...front.parse(JSON.parse(event.metadata)) })
        })
        if (descending) events.reverse()
        found.push(...events)
        if (found.length > limit) {
          const page = found.slice(0, limit)
          return { entries: await told(page), nextCursor: Number(page.at(-1)?.position) }
        }
      }
      return { entries: await told(found), nextCursor: undefined }
    },
  }
}

function summarizeSegment(after: Checkpoint | undefined, events: readonly StoredEvent[]): LogSegment | undefined {
  const [first, last] = [events[0], events.at(-1)]
  if (!first || !last) return undefined
  let [from, to] = [Infinity, -Infinity]
  const types = new Set<string>()
  const actors = new Map<string, Actor>()
  for (const { type, metadata } of events) {
    const { at, actor: by } = front.parse(JSON.parse(metadata))
    from = Math.min(from, at)
    to = Math.max(to, at)
    types.add(type)
    // Traders are many; whether one of them did something is all that is remembered of them.
    const name = by.kind === 'trader' ? 'trader' : `${by.kind} ${by.label}`
    if (!actors.has(name)) actors.set(name, by)
  }
  return { after, first: Number(first.position), last: Number(last.position), count: events.length, from, to, types, actors }
}

function mayMatch({ first, last, from, to, types, actors }: LogSegment, filter: EntryFilter): boolean {
  if (filter.type && ![...filter.type].some((type) => types.has(type))) return false
  if (filter.from && ('number' in filter.from ? last < filter.from.number : to < filter.from.time)) return false
  if (filter.to && ('number' in filter.to ? first > filter.to.number : from > filter.to.time)) return false
  const wanted = filter.actor
  if (wanted === undefined) return true
  const isKind = actorKinds.has(wanted)
  // Which trader did something is not remembered: whoever asks for one by id has all stretches read in which any did.
  return [...actors.values()].some((by) => (isKind ? by.kind === wanted : by.kind === 'trader' || by.label === wanted))
}

const actorKinds: ReadonlySet<string> = new Set(['trader', 'admin', 'system'])
