import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import {
  type Appended,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type StoredEvent,
  start,
  WrongRevision,
} from '../../infra/event-store/event-store.ts'
import { Unavailable } from '../../infra/failures.ts'
import type { DomainEvent, AppendedEvent } from './event-definitions.ts'
import { Refused } from './refusal.ts'
import { decodeEvent, encodeEvent, type RecordedEvent } from './codec/event-codec.ts'
import { eventHash } from './codec/hash-chain.ts'
import type { Context } from './codec/metadata.ts'
import { createKeyedQueue } from './keyed-queue.ts'
import type { PersonKey, PersonKeys } from './crypto-shredding/person-keys.ts'
import { personIdOf, type AggregateType, streamName } from '../domain/streams.ts'

/** Typed streams over the event log: the one place that loads, decides and appends. */
export interface Repositories {
  of<State, Event extends DomainEvent>(kind: AggregateType<State, Event>): AggregateRepository<State, Event>
  /** All facts of a stream from a revision on, as they were recorded. */
  readEvents(stream: string, from?: number): AsyncIterable<RecordedEvent>
}

export interface AggregateRepository<State, Event extends DomainEvent> {
  /** The state as the log has it now. */
  load(id: string): Promise<LoadedAggregate<State>>

  /**
   * Decides on the stream's current state and appends what was decided. When somebody else was faster it loads again
   * and decides again, a bounded number of times. Deciding nothing appends nothing.
   *
   * @throws {Refused} what `decide` throws, once it is sure that it saw the newest state.
   * @throws {Unavailable} when the log can't be reached: the outcome may then be unknown, and asking again is safe
   *   for every wish that is refused or does nothing the second time.
   * @throws {WrongRevision} when others were faster every time: nothing was appended.
   */
  decide(id: string, context: Context, decide: (state: State) => readonly Event[]): Promise<DecisionResult<State, Event>>
}

export interface LoadedAggregate<State> {
  readonly state: State
  readonly revision: ExpectedRevision
  /** Position of the stream's last event. */
  readonly position: Position
}

export interface DecisionResult<State, Event extends DomainEvent> extends LoadedAggregate<State> {
  readonly events: readonly AppendedEvent<Event>[]
  /** The ids of the events, in their order. */
  readonly eventIds: readonly string[]
}

/** What is remembered of a stream: its folded state and the hash of its last event, for the chain. */
interface CachedAggregate<State> extends LoadedAggregate<State> {
  readonly lastHash: string | null
}

export interface RepositoryOptions {
  /** Ms since 1970. */
  readonly now?: () => number
  /** Waits so many ms before something is tried again. */
  readonly pause?: (ms: number) => Promise<unknown>
}

/** How often a decision is made anew before the person is asked to try again. */
const MAX_DECISION_ATTEMPTS = 12
/** The longest wait in ms before a decision is made anew. Each is twice as long as the one before, so that a crowd thins out. */
const MAX_RETRY_DELAY = 200
/** Waits in ms before an append with an unknown outcome is repeated. */
const APPEND_RETRY_DELAYS = [20, 100, 400]
/** Events whose folded state is remembered, summed over all streams of a kind. */
const MAX_CACHED_EVENTS = 400_000

export function createRepositories(store: EventStore, keys: PersonKeys, { now = Date.now, pause = delay }: RepositoryOptions = {}): Repositories {
  const pauseAbout = (ms: number) => pause(ms * (0.5 + Math.random()))

  const appendSurely = async (stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): Promise<Appended> => {
    for (const wait of APPEND_RETRY_DELAYS) {
      try {
        return await store.append(stream, expected, events)
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error
        await pauseAbout(wait)
      }
    }
    return store.append(stream, expected, events)
  }

  async function* facts(stream: string, from = 0): AsyncIterable<RecordedEvent> {
    let key: PersonKey | undefined
    for await (const page of store.readStream(stream, from)) {
      // After the page was read: whoever wrote it had made the key before.
      key ??= await keyOf(stream)
      for (const event of page) yield decodeEvent(event, key)
    }
  }

  const keyOf = async (stream: string) => {
    const person = personIdOf(stream)
    return person === undefined ? undefined : (await keys.get([person])).get(person)
  }

  const streamsOf = <State, Event extends DomainEvent>(kind: AggregateType<State, Event>): AggregateRepository<State, Event> => {
    const remembered = new LRUCache<string, CachedAggregate<State>>({
      maxSize: MAX_CACHED_EVENTS,
      sizeCalculation: ({ revision }) => Math.max(1, revisionAfter(revision)),
    })
    // Within a process nobody races for a stream's next revision.
    const turns = createKeyedQueue()
    const nothing: CachedAggregate<State> = { state: kind.decider.initial, revision: 'none', position: start, lastHash: null }
    const personal = new Set(Object.entries(kind.definitions).flatMap(([type, { personal }]) => (personal.size > 0 ? [type] : [])))

    /** Two may read or change at the same time and finish in any order: the newer state stays, and is answered. */
    const remember = (stream: string, folded: CachedAggregate<State>): CachedAggregate<State> => {
      const known = remembered.get(stream)
      if (known && revisionAfter(known.revision) >= revisionAfter(folded.revision)) return known
      remembered.set(stream, folded)
      return folded
    }

    /** Reads only what is new since the folded state that is remembered. */
    const refresh = async (stream: string, known = remembered.get(stream) ?? nothing): Promise<CachedAggregate<State>> => {
      let { state, revision, position, lastHash } = known
      let last: StoredEvent | undefined
      let key: PersonKey | undefined
      for await (const page of store.readStream(stream, revisionAfter(revision))) {
        key ??= await keyOf(stream)
        for (const event of page) {
          const fact = decodeEvent(event, key)
          if (!isEventOf(kind, fact)) throw new Error(`${event.type} does not belong in ${stream}`)
          state = kind.decider.evolve(state, fact)
          last = event
        }
      }
      if (!last) return known
      revision = last.revision
      position = last.position
      lastHash = eventHash(stream, last.revision, last)
      return remember(stream, { state, revision, position, lastHash: lastHash })
    }

    const prepare = async (stream: string, { revision, lastHash }: CachedAggregate<State>, decided: readonly Event[], context: Context) => {
      const key = decided.some(({ type }) => personal.has(type)) ? await keyForWriting(stream) : undefined
      const at = now()
      let previous = lastHash
      let next = revisionAfter(revision)
      const events = decided.map((event) => {
        const { actor, requestId, causationId, correlationId } = context
        const encoded = encodeEvent(randomUUID(), event, { at, actor, requestId, causationId, correlationId, previous }, key)
        previous = eventHash(stream, next++, encoded)
        return encoded
      })
      return { events, at, head: previous }
    }

    const keyForWriting = async (stream: string): Promise<Uint8Array> => {
      const person = personIdOf(stream)
      if (person === undefined) throw new Error(`${stream} is about no person and can't hold personal fields`)
      const key = await keys.getOrCreate(person)
      if (key === 'destroyed') throw new Refused('not-found', 'User not found')
      return key
    }

    const changeInTurn = async (stream: string, context: Context, decide: (state: State) => readonly Event[]): Promise<DecisionResult<State, Event>> => {
      // What is remembered may be old. That does no harm where something is appended, for then the exact revision
      // is checked; a refusal, or nothing to do, counts only on the newest state.
      const old = remembered.get(stream)
      let folded = old ?? (await refresh(stream))
      let newest = old === undefined
      for (let decision = 1; ; decision++) {
        const decided = tryDecide(() => decide(folded.state))
        if (!newest && ('refusal' in decided || decided.events.length === 0)) {
          folded = await refresh(stream)
          newest = true
          continue
        }
        if ('refusal' in decided) throw decided.refusal
        if (decided.events.length === 0) return { ...folded, events: [], eventIds: [] }
        const { events, at, head } = await prepare(stream, folded, decided.events, context)
        try {
          const { revision, position } = await appendSurely(stream, folded.revision, events)
          const first = revisionAfter(folded.revision)
          const facts = decided.events.map((event, index): AppendedEvent<Event> => ({ ...event, at, revision: first + index }))
          const state = facts.reduce((before, fact) => kind.decider.evolve(before, fact), folded.state)
          remember(stream, { state, revision, position, lastHash: head })
          return { state, revision, position, events: facts, eventIds: events.map(({ id }) => id) }
        } catch (error) {
          if (!(error instanceof WrongRevision) || decision >= MAX_DECISION_ATTEMPTS) throw error
          await pauseAbout(Math.min(2 ** (decision - 1), MAX_RETRY_DELAY))
          folded = await refresh(stream, folded)
          newest = true
        }
      }
    }

    return {
      load: async (id) => refresh(streamName(kind, id)),
      decide: (id, context, decide) => {
        const stream = streamName(kind, id)
        return turns(stream, () => changeInTurn(stream, context, decide))
      },
    }
  }

  // Once a kind, whoever asks: what is remembered and who waits for whose turn is shared.
  const opened = new Map<object, unknown>()
  return {
    readEvents: facts,
    of(kind) {
      const known = opened.get(kind)
      if (isRepositoryOf(known, kind)) return known
      const streams = streamsOf(kind)
      opened.set(kind, streams)
      return streams
    },
  }
}

/** What was kept under a kind was made of that kind. */
function isRepositoryOf<State, Event extends DomainEvent>(known: unknown, _kind: AggregateType<State, Event>): known is AggregateRepository<State, Event> {
  return known !== undefined
}

/** The revision that the next event of the stream gets. */
function revisionAfter(revision: ExpectedRevision): number {
  return revision === 'none' ? 0 : revision + 1
}

function tryDecide<Event>(decide: () => readonly Event[]): { events: readonly Event[] } | { refusal: Refused } {
  try {
    return { events: decide() }
  } catch (error) {
    if (error instanceof Refused) return { refusal: error }
    throw error
  }
}

/** The kind's definitions name every type of its event union: that is how the union is made. */
function isEventOf<State, Event extends DomainEvent>(kind: AggregateType<State, Event>, fact: AppendedEvent<DomainEvent>): fact is AppendedEvent<Event> {
  return Object.hasOwn(kind.definitions, fact.type)
}
