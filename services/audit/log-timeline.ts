import { z } from 'zod'
import type { Checkpoint, EventStore, StoredEvent } from '../../infra/event-store/event-store.ts'
import type { AuditFact } from '../api/index.ts'
import { decode } from '../event-sourcing/codec/event-codec.ts'
import { actor, type Actor } from '../event-sourcing/codec/metadata.ts'
import type { PersonKeys } from '../event-sourcing/crypto-shredding/person-keys.ts'
import { personOf } from '../domain/streams.ts'
import { type FactFilter, passes } from './timeline-entries.ts'
import { namedInFull, tell } from './audit-entry.ts'

/**
 * Everything that anybody did, from the whole log. There is no view of it, which would be as large as the log: of each
 * stretch of the log it is remembered who did something in it and what, and only stretches that may answer are read.
 */
export interface WholeLog {
  find(filter: FactFilter, page: LogPage): Promise<FoundInLog>
}

export interface LogPage {
  readonly descending: boolean
  readonly limit: number
  /** The last fact of the page before. */
  readonly cursor: number | undefined
}

export interface FoundInLog {
  readonly facts: readonly AuditFact[]
  /** Where to go on; undefined at the end. A page may be short, or empty, and others come after it. */
  readonly next: number | undefined
}

interface Stretch {
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
const LENGTH = 1_000
/** Stretches that one page reads at most: who looks for something rare asks for more pages instead of waiting. */
const MOST_READ = 40

const front = z.object({ at: z.int(), actor })

export function openWholeLog({ eventStore, personKeys }: { readonly eventStore: EventStore; readonly personKeys: Pick<PersonKeys, 'get'> }): WholeLog {
  const stretches: Stretch[] = []
  let end: Checkpoint | undefined
  let surveying: Promise<void> | undefined

  const survey = async (): Promise<void> => {
    // The last one may have been short.
    const last = stretches.at(-1)
    if (last && last.count < LENGTH) {
      stretches.pop()
      end = last.after
    }
    const stopped = new AbortController()
    for await (const { events, checkpoint, caughtUp } of eventStore.subscribe(end, { signal: stopped.signal, batchSize: LENGTH })) {
      const stretch = surveyed(end, events)
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

  const read = async ({ after, last }: Stretch): Promise<StoredEvent[]> => {
    const stopped = new AbortController()
    const found: StoredEvent[] = []
    for await (const { events, position, caughtUp } of eventStore.subscribe(after, { signal: stopped.signal, batchSize: LENGTH })) {
      found.push(...events.filter((event) => Number(event.position) <= last))
      if (caughtUp || Number(position) >= last) stopped.abort()
    }
    return found
  }

  const told = async (events: readonly StoredEvent[]): Promise<AuditFact[]> => {
    const keys = await personKeys.get(events.flatMap(({ stream }) => personOf(stream) ?? []))
    return events.map((event) => tell(decode(event, keys.get(personOf(event.stream) ?? '')), namedInFull))
  }

  return {
    async find(filter, { descending, limit, cursor }) {
      await upToDate()
      const isAhead = (number: number) => cursor === undefined || (descending ? number < cursor : number > cursor)
      const passesFilter = passes(filter, namedInFull)
      const candidates = stretches.filter((stretch) => (isAhead(stretch.first) || isAhead(stretch.last)) && mayHold(stretch, filter))
      if (descending) candidates.reverse()
      const found: StoredEvent[] = []
      for (const [index, stretch] of candidates.entries()) {
        if (index >= MOST_READ) return { facts: await told(found), next: descending ? stretch.last + 1 : stretch.first - 1 }
        const events = (await read(stretch)).filter((event) => {
          const number = Number(event.position)
          return isAhead(number) && passesFilter({ number, type: event.type, ...front.parse(JSON.parse(event.metadata)) })
        })
        if (descending) events.reverse()
        found.push(...events)
        if (found.length > limit) {
          const page = found.slice(0, limit)
          return { facts: await told(page), next: Number(page.at(-1)?.position) }
        }
      }
      return { facts: await told(found), next: undefined }
    },
  }
}

function surveyed(after: Checkpoint | undefined, events: readonly StoredEvent[]): Stretch | undefined {
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

function mayHold({ first, last, from, to, types, actors }: Stretch, filter: FactFilter): boolean {
  if (filter.type && ![...filter.type].some((type) => types.has(type))) return false
  if (filter.from && ('number' in filter.from ? last < filter.from.number : to < filter.from.time)) return false
  if (filter.to && ('number' in filter.to ? first > filter.to.number : from > filter.to.time)) return false
  const wanted = filter.actor
  if (wanted === undefined) return true
  const isKind = kinds.has(wanted)
  // Which trader did something is not remembered: whoever asks for one by id has all stretches read in which any did.
  return [...actors.values()].some((by) => (isKind ? by.kind === wanted : by.kind === 'trader' || by.label === wanted))
}

const kinds: ReadonlySet<string> = new Set(['trader', 'admin', 'system'])
