import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Map as ImmutableMap } from 'immutable'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import {
  type EventStore,
  type ExpectedRevision,
  type Position,
  type StoredEvent,
  start,
  WrongRevision,
} from '#infra/event-store/event-store.ts'
import { retryUnavailable } from '#infra/failures.ts'
import type { DomainEvent, AppendedEvent } from './event-definitions.ts'
import { fold } from './decider.ts'
import { ShortStream } from './missing-events.ts'
import { Refused } from './refusal.ts'
import { signEvent } from './codec/event-authentication.ts'
import { decodeEvent, encodeEvent, ForgedEvent, type RecordedEvent } from './codec/event-codec.ts'
import { eventHash } from './codec/hash-chain.ts'
import { emptyCalendar } from '#services/rules/calendar.ts'
import { DECISION_VERSION } from '#services/rules/decision-version.ts'
import type { Context, Metadata, OnceOnly } from './codec/metadata.ts'
import { createKeyedQueue } from './keyed-queue.ts'
import type { PersonKey, PersonKeys } from './crypto-shredding/person-keys.ts'
import { type AggregateType, isEventOf, streamName } from './aggregate-type.ts'
import { type EventRegistry, hasPersonalFields } from './event-registry.ts'

/** Typed aggregates over the event log. Only repositories load, decide and append. */
export interface Repositories {
  of<State, Event extends DomainEvent>(type: AggregateType<State, Event>): AggregateRepository<State, Event>
  /**
   * An event of any stream; undefined where there is none.
   *
   * @throws {UnreadableEvent} {@link ForgedEvent}
   */
  readEvent(stream: string, revision: number): Promise<RecordedEvent | undefined>
}

export interface AggregateRepository<State, Event extends DomainEvent> {
  /**
   * The state as the log has it now.
   *
   * @param atLeast A cached state that includes this revision will do, and the log is not read.
   */
  load(id: string, atLeast?: number): Promise<LoadedAggregate<State>>
  /**
   * Whether a request that takes effect once has decided on the stream before: then it is sent again. For what a handler
   * checks before it decides, and what its own effect would fail.
   *
   * @throws {Refused} conflict, when the request's content was another then.
   */
  isRepeated(id: string, context: Context): Promise<boolean>
  /**
   * The first decision of a request on the stream, as it was when it was made; undefined where the request is not sent again.
   *
   * @throws {Refused} as {@link isRepeated}.
   */
  firstDecision(id: string, context: Context): Promise<DecisionResult<State, Event> | undefined>
  /** The events of the stream from a revision on. */
  readEvents(id: string, from?: number): AsyncIterable<RecordedEvent<Event>>

  /**
   * Decides on the current state of the stream and appends the decided events. When another process appended first, it
   * loads and decides again, a bounded number of times. Deciding nothing appends nothing.
   *
   * For a request that takes effect once, a decision that was made for it is not made again: its outcome is what it was then.
   *
   * @throws {Refused} what `decide` throws on the newest state, and conflict when the request's content was another then.
   * @throws {ForgedEvent} when an event of the stream is not authentic: nothing is decided on it.
   * @throws {MissingKey} when the key of the stream's person, which must exist, is not in the key store.
   * @throws {ShortStream} when the stream has lost events that were sealed: nothing is decided on what is left.
   * @throws {Unavailable} when the log cannot be reached. The outcome may then be unknown; trying again is safe for
   * every   decision that refuses or decides nothing the second time.
   * @throws {WrongRevision} when other processes appended first every time: nothing was appended.
   */
  decide(
    id: string,
    context: Context,
    decide: (state: State) => readonly Event[],
  ): Promise<DecisionResult<State, Event>>
}

export interface LoadedAggregate<State> {
  readonly state: State
  readonly revision: ExpectedRevision
  /** Position of the stream's last event. */
  readonly position: Position
}

export interface DecisionResult<State, Event extends DomainEvent> extends LoadedAggregate<State> {
  readonly events: readonly DecidedEvent<Event>[]
  /** The request was sent again: these are the events and the state that its decision led to then. */
  readonly isRepeated?: true
}

/** An event as its decision appended it, at the position that the append reached. */
export type DecidedEvent<Event extends DomainEvent = DomainEvent> = AppendedEvent<Event> &
  Pick<RecordedEvent, 'id' | 'stream' | 'position' | 'personId'> & { readonly metadata: Context }

/** The folded state of a stream, and the hash of its last event for the chain. */
interface CachedAggregate<State> extends LoadedAggregate<State> {
  readonly lastHash: string | null
  /** Whether an event of the stream has personal fields. */
  readonly isPersonal: boolean
  /** The decisions of requests that take effect once, by the request's key and their step. */
  readonly made: ImmutableMap<string, MadeBefore>
}

/** The events of a decision that was made for a request, and a keyed hash of the request's content. */
interface MadeBefore {
  readonly content: string
  readonly first: number
  readonly last: number
}

export interface RepositoryOptions {
  /** Ms since 1970. */
  readonly now?: () => number
  /** Waits for some ms before a retry. */
  readonly pause?: (ms: number) => Promise<unknown>
  /** The heads that the log must have, as its newest known checkpoint says. */
  readonly sealedHeads?: SealedHeads
  readonly snapshots?: Snapshots
  /** Called each time that a stream is refused because it lost events. */
  readonly onRefusedStream?: () => void
  readonly secrets?: {
    /** Gives each event its MAC; without it, events have none. */
    readonly eventKey?: Uint8Array
    /**
     * Names an actor in the history of a person (hex, 32 digits): see `encodeEvent`. Undefined where it is not to be
     * named.
     */
    readonly actorHash?: (personId: string, actor: Context['actor']) => string | undefined
  }
}

/**
 * Where the folded states of long streams are kept. What is read is of the log once it is written by one of its
 * processes: who puts an earlier one back only makes a start read more.
 */
export interface Snapshots {
  /** The snapshot of a stream; undefined where there is none, or none that a process of the log wrote. */
  read(stream: string): Promise<unknown>
  write(stream: string, snapshot: object): Promise<void>
}

/** The ends of streams that a checkpoint commits to. They are in memory: asking costs no call to the log. */
export interface SealedHeads {
  /** The last sealed event of a stream; undefined where none is known. */
  headOf(stream: string): SealedHead | undefined
}

export interface SealedHead {
  readonly revision: number
  /** Whether the event at that revision is the one that was sealed. */
  isOf(event: StoredEvent): boolean
}

/** How many decisions are made before the request fails with a conflict. */
const MAX_DECISION_ATTEMPTS = 12
/**
 * The longest wait in ms before the next decision. Each wait is twice the one before, so that competing requests spread
 * out.
 */
const MAX_RETRY_DELAY = 200
/** Waits in ms before an append with an unknown outcome is repeated. */
const APPEND_RETRY_DELAYS = [20, 100, 400]
/** Events whose folded state is cached, summed over all streams of a type, and the most that count of one. */
const MAX_CACHED_EVENTS = 400_000
const MOST_OF_ONE = MAX_CACHED_EVENTS / 4

/** Events after which a state is kept again. */
const SNAPSHOT_INTERVAL = 1_000

const storedSnapshot = z.object({ revision: z.int(), lastHash: z.string(), state: z.unknown() })

export function createRepositories(
  registry: EventRegistry,
  store: EventStore,
  keys: PersonKeys,
  { now = Date.now, pause = delay, sealedHeads, snapshots, onRefusedStream, secrets = {} }: RepositoryOptions = {},
): Repositories {
  const pauseAbout = (ms: number) => pause(ms * (0.5 + Math.random()))

  const shortStream = (stream: string, has: number, had: number): ShortStream => {
    onRefusedStream?.()
    return new ShortStream(stream, has, had)
  }

  const arePersonal = (events: readonly DomainEvent[]) => events.some(({ type }) => hasPersonalFields(registry, type))

  const keyOf = async (stream: string): Promise<PersonKey | undefined> => {
    const person = registry.personIdOf(stream)
    return person === undefined ? undefined : keys.keyOf(person)
  }

  /** @param isFirst Whether the stream holds no personal fields yet. */
  const keyForWriting = async (stream: string, isFirst: boolean): Promise<Uint8Array> => {
    const person = registry.personIdOf(stream)
    if (person === undefined) throw new Error(`${stream} is about no person and cannot hold personal fields`)
    const key = isFirst && registry.beginsPerson(stream) ? await keys.getOrCreate(person) : await keys.require(person)
    if (key === 'destroyed') throw new Refused('not-found', 'This person was erased')
    return key
  }

  const createRepository = <State, Event extends DomainEvent>(
    type: AggregateType<State, Event>,
  ): AggregateRepository<State, Event> => {
    const cache = new LRUCache<string, CachedAggregate<State>>({
      maxSize: MAX_CACHED_EVENTS,
      sizeCalculation: ({ revision, state }) =>
        Math.min(MOST_OF_ONE, Math.max(1, revisionAfter(revision) + (type.weight?.(state) ?? 0))),
    })
    // Within a process, decisions on one stream do not compete for its next revision.
    const queue = createKeyedQueue()
    const empty: CachedAggregate<State> = {
      state: type.decider.initial,
      revision: 'none',
      position: start,
      lastHash: null,
      isPersonal: false,
      made: ImmutableMap(),
    }

    /** The calendar as far as it was read. */
    let calendar = emptyCalendar

    const foldOnto = (state: State, events: readonly AppendedEvent<Event>[]): State =>
      fold(type.decider, type.calendar ? events.map((event) => ({ ...event, calendar })) : events, state)

    /** Reads the calendar where a state follows from it. Returns whether it is longer than it was. */
    const readsMoreOfCalendar = async (state: State, events: readonly DomainEvent[], size: number) => {
      if (!type.calendar?.isNeededBy(state, events)) return false
      const read = await type.calendar.load(async (other, id) => (await of(other).load(id)).state)
      if (read.size > calendar.size) calendar = read
      return calendar.size > size
    }

    const decode = (stored: StoredEvent, key: PersonKey | undefined): RecordedEvent<Event> => {
      const event = decodeEvent(registry, stored, key)
      if (!isEventOf(type, event)) throw new Error(`${event.type} does not belong in ${stored.stream}`)
      return event
    }

    /**
     * Checks that no event is missing, that each names the one before it, and that the stream goes as far as it was
     * sealed.
     *
     * @param lastHash The hash of the event before; undefined where it is unknown.
     */
    async function* readPages(stream: string, from: number, lastHash: string | null | undefined) {
      // One head, taken before the stream is read: what is sealed meanwhile may be newer.
      const sealed = sealedHeads?.headOf(stream)
      let key: PersonKey | undefined
      let previous = lastHash
      let next = from
      for await (const page of store.readStream(stream, from)) {
        // After the page was read: the writer had created the key before it appended.
        key ??= await keyOf(stream)
        const events = page.map((stored) => {
          // A store may have been told to hide or delete the oldest.
          if (stored.revision > next) throw shortStream(stream, next - 1, stored.revision - 1)
          const event = decode(stored, key)
          if (previous !== undefined && event.metadata.previous !== previous)
            throw new ForgedEvent(stored, 'it does not follow the event before it')
          if (stored.revision === sealed?.revision && !sealed.isOf(stored))
            throw shortStream(stream, stored.revision, sealed.revision)
          previous = eventHash(stream, stored.revision, stored)
          next = stored.revision + 1
          return event
        })
        yield { last: page.at(-1), lastHash: previous, events }
      }
      if (sealed && next <= sealed.revision) throw shortStream(stream, next - 1, sealed.revision)
    }

    /** Concurrent loads and decisions may finish in any order: the newest state is kept and returned. */
    const remember = (stream: string, loaded: CachedAggregate<State>): CachedAggregate<State> => {
      const cached = cache.get(stream)
      if (cached && revisionAfter(cached.revision) >= revisionAfter(loaded.revision)) return cached
      cache.set(stream, loaded)
      return loaded
    }

    /** The revisions at which states are kept, by stream. */
    const kept = new Map<string, number>()

    /** The kept state of a stream, if the log still has the event that it ends with. */
    const restore = async (stream: string): Promise<CachedAggregate<State>> => {
      if (!type.snapshot || !snapshots) return empty
      const { data: snapshot } = storedSnapshot.safeParse(await snapshots.read(stream))
      const { data: state } = type.snapshot.safeParse(snapshot?.state)
      if (!snapshot || !state) return empty
      const { revision, lastHash } = snapshot
      for await (const [event] of store.readStream(stream, revision, 1)) {
        if (event?.revision !== revision || eventHash(stream, revision, event) !== lastHash) break
        kept.set(stream, revision)
        return remember(stream, {
          state,
          revision,
          position: event.position,
          lastHash,
          isPersonal: false,
          made: empty.made,
        })
      }
      return empty
    }

    /** Keeps the state of a long stream now and then. */
    const keep = async (stream: string, { state, revision, lastHash }: CachedAggregate<State>): Promise<void> => {
      if (!type.snapshot || !snapshots || revision === 'none') return
      if (revision - (kept.get(stream) ?? -1) < SNAPSHOT_INTERVAL) return
      kept.set(stream, revision)
      await snapshots.write(stream, { revision, lastHash, state })
    }

    /** Reads only what is newer than the cached state. */
    const refresh = async (stream: string, known = cache.get(stream)): Promise<CachedAggregate<State>> => {
      const cached = known ?? (await restore(stream))
      let { state, lastHash, isPersonal, made } = cached
      let last: StoredEvent | undefined
      const size = calendar.size
      const news: RecordedEvent<Event>[] = []
      for await (const page of readPages(stream, revisionAfter(cached.revision), lastHash)) {
        state = foldOnto(state, page.events)
        if (type.calendar) news.push(...page.events)
        isPersonal ||= arePersonal(page.events)
        made = page.events.reduce(withMade, made)
        last = page.last ?? last
        lastHash = page.lastHash ?? lastHash
      }
      if (await readsMoreOfCalendar(state, news, size)) state = foldOnto(cached.state, news)
      const newest = last
        ? remember(stream, { state, revision: last.revision, position: last.position, lastHash, isPersonal, made })
        : cached
      await keep(stream, newest)
      return newest
    }

    const prepare = async (
      stream: string,
      { revision, lastHash, isPersonal }: CachedAggregate<State>,
      decided: readonly Event[],
      context: Context,
      once: Metadata['once'],
    ) => {
      const key = arePersonal(decided) ? await keyForWriting(stream, !isPersonal) : undefined
      const at = now()
      const { request: _, ...cause } = context
      const { actor, requestId, causationId, correlationId } = cause
      const person = registry.personIdOf(stream)
      const actorHash = person === undefined ? undefined : secrets.actorHash?.(person, actor)
      let previous = lastHash
      let next = revisionAfter(revision)
      const events = decided.map((event) => {
        const id = randomUUID()
        const encoded = encodeEvent(
          registry,
          id,
          event,
          { at, actor, requestId, causationId, correlationId, ...(once && { once }), previous },
          key,
          actorHash,
        )
        const signed = secrets.eventKey ? signEvent(secrets.eventKey, stream, next, encoded) : encoded
        const revision = next++
        previous = eventHash(stream, revision, signed)
        return {
          signed,
          decided: {
            ...event,
            at,
            revision,
            decisions: DECISION_VERSION,
            id,
            stream,
            personId: person,
            metadata: cause,
          },
        }
      })
      return { events, lastHash: previous }
    }

    /** The first decision that was made for a request on the stream, if the request is sent again. */
    const firstOf = async (stream: string, { key, content }: OnceOnly): Promise<MadeBefore | undefined> =>
      sameRequest((await refresh(stream)).made.get(stepOf({ key, step: 0 })), content)

    /** The outcome of a decision as it was when it was made. */
    const repeat = async (stream: string, { first, last }: MadeBefore): Promise<DecisionResult<State, Event>> => {
      let { state, position } = empty
      const events: RecordedEvent<Event>[] = []
      for await (const page of readPages(stream, 0, null)) {
        const until = page.events.filter(({ revision }) => revision <= last)
        state = foldOnto(state, until)
        position = until.at(-1)?.position ?? position
        events.push(...until.filter(({ revision }) => revision >= first))
        if (until.length < page.events.length) break
      }
      return { state, revision: last, position, events, isRepeated: true }
    }

    const decideAndAppend = async (
      stream: string,
      context: Context,
      decide: (state: State) => readonly Event[],
    ): Promise<DecisionResult<State, Event>> => {
      // A cached state may be old. An append checks the exact revision, so an old state does no harm there; a refusal,
      // or deciding nothing, counts only on the newest state.
      const mayBeNew = type.usuallyNew === true && sealedHeads?.headOf(stream) === undefined
      const cached = cache.get(stream) ?? (mayBeNew ? empty : undefined)
      let current = cached ?? (await refresh(stream))
      let isNewest = cached === undefined
      const { request } = context
      const once = request && { key: request.key, content: request.content, step: request.nextStep(stream) }
      for (let attempt = 1; ; attempt++) {
        const before = once && sameRequest(current.made.get(stepOf(once)), once.content)
        if (before) return repeat(stream, before)
        const decided = tryDecide(() => decide(current.state))
        if (!isNewest && ('refusal' in decided || decided.events.length === 0)) {
          current = await refresh(stream)
          isNewest = true
          continue
        }
        if ('refusal' in decided) throw decided.refusal
        if (decided.events.length === 0) return { ...current, events: [] }
        const expected = current.revision
        const { events: prepared, lastHash } = await prepare(stream, current, decided.events, context, once)
        try {
          const signed = prepared.map((event) => event.signed)
          const append = () => store.append(stream, expected, signed)
          const { revision, position } = await retryUnavailable(APPEND_RETRY_DELAYS, append, pauseAbout)
          // A store that was told to hide a stream takes it for a new one, and goes on counting.
          const last = revision - prepared.length
          if (last >= revisionAfter(expected)) throw shortStream(stream, revisionAfter(expected) - 1, last)
          const events = prepared.map((event): DecidedEvent<Event> => ({ ...event.decided, position }))
          await readsMoreOfCalendar(current.state, events, 0)
          const state = foldOnto(current.state, events)
          const isPersonal = current.isPersonal || arePersonal(decided.events)
          const made = once
            ? events.reduce(
                (all, { revision: at }) => withMade(all, { revision: at, metadata: { once } }),
                current.made,
              )
            : current.made
          remember(stream, { state, revision, position, lastHash, isPersonal, made })
          return { state, revision, position, events }
        } catch (error) {
          if (!(error instanceof WrongRevision)) throw error
          // The log had these events: this process has folded them. Or it has none and takes none: it was deleted.
          const [has, had] = [revisionAfter(error.actual) - 1, revisionAfter(expected) - 1]
          if (has < had || (has < 0 && had < 0)) throw shortStream(stream, has, Math.max(had, 0))
          if (attempt >= MAX_DECISION_ATTEMPTS) throw error
          await pauseAbout(Math.min(2 ** (attempt - 1), MAX_RETRY_DELAY))
          current = await refresh(stream, current)
          isNewest = true
        }
      }
    }

    return {
      load: async (id, atLeast = Infinity) => {
        const stream = streamName(type, id)
        const cached = cache.get(stream)
        return cached && revisionAfter(cached.revision) > atLeast ? cached : refresh(stream, cached)
      },
      isRepeated: async (id, { request }) =>
        request !== undefined && (await firstOf(streamName(type, id), request)) !== undefined,
      firstDecision: async (id, { request }) => {
        const stream = streamName(type, id)
        const before = request && (await firstOf(stream, request))
        return before && repeat(stream, before)
      },
      async *readEvents(id, from = 0) {
        for await (const { events } of readPages(streamName(type, id), from, from === 0 ? null : undefined))
          yield* events
      },
      decide: (id, context, decide) => {
        const stream = streamName(type, id)
        return queue(stream, () => decideAndAppend(stream, context, decide))
      },
    }
  }

  // One repository a type: its cache and its queue are shared by all callers.
  const repositories = new Map<object, unknown>()
  const of: Repositories['of'] = (type) => {
    const existing = repositories.get(type)
    if (isRepositoryOf(existing, type)) return existing
    const repository = createRepository(type)
    repositories.set(type, repository)
    return repository
  }
  return {
    of,

    async readEvent(stream, revision) {
      for await (const [event] of store.readStream(stream, revision, 1))
        return event?.revision === revision ? decodeEvent(registry, event, await keyOf(stream)) : undefined
      return undefined
    },
  }
}

/** The map holds for a type the repository that was created for that type. */
function isRepositoryOf<State, Event extends DomainEvent>(
  repository: unknown,
  _type: AggregateType<State, Event>,
): repository is AggregateRepository<State, Event> {
  return repository !== undefined
}

/** A decision of a request, for a map. */
const stepOf = ({ key, step }: Pick<NonNullable<Metadata['once']>, 'key' | 'step'>) => `${key} ${step}`

/** @throws {Refused} conflict, when a key was used for another request. */
function sameRequest(before: MadeBefore | undefined, content: string): MadeBefore | undefined {
  if (before && before.content !== content)
    throw new Refused('conflict', 'This Idempotency-Key was already used for a different request')
  return before
}

function withMade(
  made: ImmutableMap<string, MadeBefore>,
  { revision, metadata: { once } }: { readonly revision: number; readonly metadata: Pick<Metadata, 'once'> },
): ImmutableMap<string, MadeBefore> {
  if (!once) return made
  const first = made.get(stepOf(once))?.first ?? revision
  return made.set(stepOf(once), { content: once.content, first, last: revision })
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
