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
import type { DomainEvent, Fact } from './event-definitions.ts'
import { Refused } from './refusal.ts'
import { decode, encode, type Recorded } from './codec/event-codec.ts'
import { hashOf } from './codec/hash-chain.ts'
import type { Context } from './codec/metadata.ts'
import { oneAfterTheOther } from './keyed-queue.ts'
import type { PersonKey, PersonKeys } from './crypto-shredding/person-keys.ts'
import { personOf, type StreamKind, streamName } from '../domain/streams.ts'

/** Typed streams over the event log: the one place that loads, decides and appends. */
export interface Journal {
  of<State, Event extends DomainEvent>(kind: StreamKind<State, Event>): Streams<State, Event>
  /** All facts of a stream from a revision on, as they were recorded. */
  facts(stream: string, from?: number): AsyncIterable<Recorded>
}

export interface Streams<State, Event extends DomainEvent> {
  /** The state as the log has it now. */
  load(id: string): Promise<Loaded<State>>

  /**
   * Decides on the stream's current state and appends what was decided. When somebody else was faster it loads again
   * and decides again, a bounded number of times. Deciding nothing appends nothing.
   *
   * @throws {Refused} what `decide` throws, once it is sure that it saw the newest state.
   * @throws {Unavailable} when the log can't be reached: the outcome may then be unknown, and asking again is safe
   *   for every wish that is refused or does nothing the second time.
   * @throws {WrongRevision} when others were faster every time: nothing was appended.
   */
  change(id: string, context: Context, decide: (state: State) => readonly Event[]): Promise<Changed<State, Event>>
}

export interface Loaded<State> {
  readonly state: State
  readonly revision: ExpectedRevision
  /** Position of the stream's last event. */
  readonly position: Position
}

export interface Changed<State, Event extends DomainEvent> extends Loaded<State> {
  readonly facts: readonly Fact<Event>[]
  /** The ids of the events, in their order. */
  readonly eventIds: readonly string[]
}

/** What is remembered of a stream: its folded state and the hash of its last event, for the chain. */
interface Folded<State> extends Loaded<State> {
  readonly head: string | null
}

export interface JournalOptions {
  /** Ms since 1970. */
  readonly now?: () => number
  /** Waits so many ms before something is tried again. */
  readonly pause?: (ms: number) => Promise<unknown>
}

/** How often a decision is made anew before the person is asked to try again. */
const DECISIONS = 12
/** The longest wait in ms before a decision is made anew. Each is twice as long as the one before, so that a crowd thins out. */
const LONGEST_YIELD = 200
/** Waits in ms before an append with an unknown outcome is repeated. */
const APPEND_RETRIES = [20, 100, 400]
/** Events whose folded state is remembered, summed over all streams of a kind. */
const REMEMBERED_EVENTS = 400_000

export function openJournal(store: EventStore, keys: PersonKeys, { now = Date.now, pause = delay }: JournalOptions = {}): Journal {
  const pauseAbout = (ms: number) => pause(ms * (0.5 + Math.random()))

  const appendSurely = async (stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): Promise<Appended> => {
    for (const wait of APPEND_RETRIES) {
      try {
        return await store.append(stream, expected, events)
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error
        await pauseAbout(wait)
      }
    }
    return store.append(stream, expected, events)
  }

  async function* facts(stream: string, from = 0): AsyncIterable<Recorded> {
    let key: PersonKey | undefined
    for await (const page of store.readStream(stream, from)) {
      // After the page was read: whoever wrote it had made the key before.
      key ??= await keyOf(stream)
      for (const event of page) yield decode(event, key)
    }
  }

  const keyOf = async (stream: string) => {
    const person = personOf(stream)
    return person === undefined ? undefined : (await keys.get([person])).get(person)
  }

  const streamsOf = <State, Event extends DomainEvent>(kind: StreamKind<State, Event>): Streams<State, Event> => {
    const remembered = new LRUCache<string, Folded<State>>({
      maxSize: REMEMBERED_EVENTS,
      sizeCalculation: ({ revision }) => Math.max(1, nextAfter(revision)),
    })
    // Within a process nobody races for a stream's next revision.
    const turns = oneAfterTheOther()
    const nothing: Folded<State> = { state: kind.decider.initial, revision: 'none', position: start, head: null }
    const personal = new Set(Object.entries(kind.definitions).flatMap(([type, { personal }]) => (personal.size > 0 ? [type] : [])))

    /** Two may read or change at the same time and finish in any order: the newer state stays, and is answered. */
    const remember = (stream: string, folded: Folded<State>): Folded<State> => {
      const known = remembered.get(stream)
      if (known && nextAfter(known.revision) >= nextAfter(folded.revision)) return known
      remembered.set(stream, folded)
      return folded
    }

    /** Reads only what is new since the folded state that is remembered. */
    const refresh = async (stream: string, known = remembered.get(stream) ?? nothing): Promise<Folded<State>> => {
      let { state, revision, position, head } = known
      let last: StoredEvent | undefined
      let key: PersonKey | undefined
      for await (const page of store.readStream(stream, nextAfter(revision))) {
        key ??= await keyOf(stream)
        for (const event of page) {
          const fact = decode(event, key)
          if (!belongs(kind, fact)) throw new Error(`${event.type} does not belong in ${stream}`)
          state = kind.decider.evolve(state, fact)
          last = event
        }
      }
      if (!last) return known
      revision = last.revision
      position = last.position
      head = hashOf(stream, last.revision, last)
      return remember(stream, { state, revision, position, head })
    }

    const prepare = async (stream: string, { revision, head }: Folded<State>, decided: readonly Event[], context: Context) => {
      const key = decided.some(({ type }) => personal.has(type)) ? await keyForWriting(stream) : undefined
      const at = now()
      let previous = head
      let next = nextAfter(revision)
      const events = decided.map((event) => {
        const { actor, requestId, causationId, correlationId } = context
        const encoded = encode(randomUUID(), event, { at, actor, requestId, causationId, correlationId, previous }, key)
        previous = hashOf(stream, next++, encoded)
        return encoded
      })
      return { events, at, head: previous }
    }

    const keyForWriting = async (stream: string): Promise<Uint8Array> => {
      const person = personOf(stream)
      if (person === undefined) throw new Error(`${stream} is about no person and can't hold personal fields`)
      const key = await keys.forWriting(person)
      if (key === 'destroyed') throw new Refused('not-found', 'User not found')
      return key
    }

    const changeInTurn = async (stream: string, context: Context, decide: (state: State) => readonly Event[]): Promise<Changed<State, Event>> => {
      // What is remembered may be old. That does no harm where something is appended, for then the exact revision
      // is checked; a refusal, or nothing to do, counts only on the newest state.
      const old = remembered.get(stream)
      let folded = old ?? (await refresh(stream))
      let newest = old === undefined
      for (let decision = 1; ; decision++) {
        const decided = attempt(() => decide(folded.state))
        if (!newest && ('refusal' in decided || decided.events.length === 0)) {
          folded = await refresh(stream)
          newest = true
          continue
        }
        if ('refusal' in decided) throw decided.refusal
        if (decided.events.length === 0) return { ...folded, facts: [], eventIds: [] }
        const { events, at, head } = await prepare(stream, folded, decided.events, context)
        try {
          const { revision, position } = await appendSurely(stream, folded.revision, events)
          const first = nextAfter(folded.revision)
          const facts = decided.events.map((event, index): Fact<Event> => ({ ...event, at, revision: first + index }))
          const state = facts.reduce((before, fact) => kind.decider.evolve(before, fact), folded.state)
          remember(stream, { state, revision, position, head })
          return { state, revision, position, facts, eventIds: events.map(({ id }) => id) }
        } catch (error) {
          if (!(error instanceof WrongRevision) || decision >= DECISIONS) throw error
          await pauseAbout(Math.min(2 ** (decision - 1), LONGEST_YIELD))
          folded = await refresh(stream, folded)
          newest = true
        }
      }
    }

    return {
      load: async (id) => refresh(streamName(kind, id)),
      change: (id, context, decide) => {
        const stream = streamName(kind, id)
        return turns(stream, () => changeInTurn(stream, context, decide))
      },
    }
  }

  // Once a kind, whoever asks: what is remembered and who waits for whose turn is shared.
  const opened = new Map<object, unknown>()
  return {
    facts,
    of(kind) {
      const known = opened.get(kind)
      if (isOpened(known, kind)) return known
      const streams = streamsOf(kind)
      opened.set(kind, streams)
      return streams
    },
  }
}

/** What was kept under a kind was made of that kind. */
function isOpened<State, Event extends DomainEvent>(known: unknown, _kind: StreamKind<State, Event>): known is Streams<State, Event> {
  return known !== undefined
}

/** The revision that the next event of the stream gets. */
function nextAfter(revision: ExpectedRevision): number {
  return revision === 'none' ? 0 : revision + 1
}

function attempt<Event>(decide: () => readonly Event[]): { events: readonly Event[] } | { refusal: Refused } {
  try {
    return { events: decide() }
  } catch (error) {
    if (error instanceof Refused) return { refusal: error }
    throw error
  }
}

/** The kind's definitions name every type of its event union: that is how the union is made. */
function belongs<State, Event extends DomainEvent>(kind: StreamKind<State, Event>, fact: Fact<DomainEvent>): fact is Fact<Event> {
  return Object.hasOwn(kind.definitions, fact.type)
}
