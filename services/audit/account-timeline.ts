import { LRUCache } from 'lru-cache'
import type { EventStore, StoredEvent } from '../../infra/event-store/event-store.ts'
import type { AuditFact, AuditState, Moment } from '../api/index.ts'
import type { UserId } from '../domain/ids.ts'
import { decodeEvent } from '../event-sourcing/codec/event-codec.ts'
import { createKeyedQueue } from '../event-sourcing/keyed-queue.ts'
import type { PersonKey, PersonKeys } from '../event-sourcing/crypto-shredding/person-keys.ts'
import { eventRegistry, accounts, streamName, users } from '../domain/streams.ts'
import { type TimelineEntry, timelineEntryOf } from './timeline-entries.ts'
import { type TimelineState, applyEvent, emptyTimelineState, auditStateOf } from './account-state.ts'
import { readEventsAt } from './timeline-filter.ts'
import { createStaffSignIns } from './staff-sign-ins.ts'
import { type ActorFormatter, toAuditEntry } from './audit-entry.ts'

/**
 * The story of a person: the facts about who they are, and about their account with its payouts and certificates, in the
 * order of the log. Where each fact stands is remembered, and now and then what was true; what lies between is read from
 * the log and folded when somebody asks.
 */
export interface AccountTimeline {
  readonly userId: UserId
  /** The person's own facts, oldest first. */
  readonly accountEntries: readonly TimelineEntry[]
  /** Those, with the sign-ins of the administrators that touched the account. */
  readonly allEntries: readonly TimelineEntry[]
  /** The fact with a number, or the last that had been recorded by a time; undefined where the story has none. */
  at(moment: Moment): TimelineEntry | undefined
  /** What was true after a fact of the story. */
  stateAfter(entry: TimelineEntry): Promise<AuditState>
  /** Facts of the story as they are stored. */
  readStoredEvents(entries: readonly TimelineEntry[]): Promise<StoredEvent[]>
  /** Facts of the story, told. */
  readAuditEntries(entries: readonly TimelineEntry[], name: ActorFormatter): Promise<AuditFact[]>
}

export interface AccountTimelines {
  /** The story as far as the log goes now; undefined for somebody who never was. */
  of(userId: UserId): Promise<AccountTimeline | undefined>
}

export interface TimelineDependencies {
  readonly eventStore: Pick<EventStore, 'readStream' | 'end'>
  readonly personKeys: Pick<PersonKeys, 'get'>
}

/** So often it is remembered what was true. */
const SNAPSHOT_INTERVAL = 100
/** Facts that are remembered, summed over all stories, and for how long. */
const MAX_CACHED_EVENTS = 300_000
const CACHE_TTL = 10 * 60_000

/** Told facts that are remembered, for as long: whoever looks at a page looks at it again. */
const MAX_CACHED_ENTRIES = 20_000

interface CachedTimeline {
  /** The log was read up to here. */
  readonly end: number
  readonly accountEntries: readonly TimelineEntry[]
  readonly allEntries: readonly TimelineEntry[]
  /** What was true before the facts 0, 100, 200, … */
  readonly snapshots: readonly TimelineState[]
  readonly currentState: TimelineState
  /** Revisions that reading goes on from, of the person's stream and the account's. */
  readonly nextRevisions: { readonly user: number; readonly account: number }
  /** Nothing personal is read, whatever is still known of the key. */
  readonly deleted: boolean
}

const emptyTimeline: CachedTimeline = {
  end: 0,
  accountEntries: [],
  allEntries: [],
  snapshots: [],
  currentState: emptyTimelineState,
  nextRevisions: { user: 0, account: 0 },
  deleted: false,
}

export function createAccountTimelines({ eventStore, personKeys }: TimelineDependencies): AccountTimelines {
  const signIns = createStaffSignIns(eventStore)
  const remembered = new LRUCache<string, CachedTimeline>({
    maxSize: MAX_CACHED_EVENTS,
    sizeCalculation: ({ accountEntries }) => accountEntries.length + 1,
    ttl: CACHE_TTL,
    ttlAutopurge: true,
  })
  /** By their entries: when a person is erased the story gets others, so nothing told before is told again. */
  const tellings = new LRUCache<TimelineEntry, Map<ActorFormatter, AuditFact>>({ max: MAX_CACHED_ENTRIES, ttl: CACHE_TTL, ttlAutopurge: true })
  const inTurn = createKeyedQueue()

  const keyOf = async (userId: UserId, deleted: boolean): Promise<PersonKey | undefined> =>
    deleted ? 'destroyed' : (await personKeys.get([userId])).get(userId)

  /** All that is new of one stream, up to the same place of the log. */
  const readOn = async (stream: string, from: number, end: number): Promise<StoredEvent[]> => {
    const found: StoredEvent[] = []
    for await (const page of eventStore.readStream(stream, from)) found.push(...page.filter(({ position }) => Number(position) <= end))
    return found
  }

  const refresh = async (userId: UserId): Promise<CachedTimeline> => {
    const end = Number(await eventStore.end())
    const known = remembered.get(userId) ?? emptyTimeline
    if (known.end >= end) return known
    const user = await readOn(streamName(users, userId), known.nextRevisions.user, end)
    const account = await readOn(streamName(accounts, userId), known.nextRevisions.account, end)
    const deleted = known.deleted || user.some(({ type }) => type === 'UserDeleted')
    // Whatever was folded of somebody deleted still knew the person.
    const isErased = deleted && !known.deleted && known.accountEntries.length > 0
    const before = isErased ? { ...emptyTimeline, deleted } : known
    if (isErased) for (const entry of known.allEntries) tellings.delete(entry)
    const events = isErased
      ? [...(await readOn(streamName(users, userId), 0, end)), ...(await readOn(streamName(accounts, userId), 0, end))]
      : [...user, ...account]
    const told = await goneOn(before, events, { userId, end, deleted })
    if (told.accountEntries.length > 0) remembered.set(userId, told)
    return told
  }

  const goneOn = async (
    before: CachedTimeline,
    events: readonly StoredEvent[],
    { userId, end, deleted }: { readonly userId: UserId; readonly end: number; readonly deleted: boolean },
  ): Promise<CachedTimeline> => {
    if (events.length === 0) return { ...before, end }
    const key = await keyOf(userId, deleted)
    const [own, folds] = [[...before.accountEntries], [...before.snapshots]]
    let { currentState } = before
    const touched = new Map<number, TimelineEntry>()
    for (const event of [...events].sort((one, other) => Number(one.position) - Number(other.position))) {
      const fact = decodeEvent(eventRegistry, event, key)
      const entry = timelineEntryOf(fact)
      if (own.length % SNAPSHOT_INTERVAL === 0) folds.push(currentState)
      currentState = applyEvent(currentState, fact)
      own.push(entry)
      if (entry.actor.kind !== 'admin') continue
      const signIn = await signIns.lastBefore(entry.actor.id, entry.number)
      if (signIn) touched.set(signIn.number, signIn)
    }
    const signedIn = before.allEntries.filter(({ type }) => type === 'AdminSignedIn')
    for (const entry of signedIn) touched.delete(entry.number)
    const all = [...own, ...signedIn, ...touched.values()].sort((one, other) => one.number - other.number)
    const count = (category: string) => own.filter(({ stream }) => stream.startsWith(category)).length
    return {
      end,
      accountEntries: own,
      allEntries: all,
      snapshots: folds,
      currentState: currentState,
      nextRevisions: { user: count('user-'), account: count('account-') },
      deleted,
    }
  }

  /** Who comes while a person is being read waits and reads on. */
  const latest = (userId: UserId): Promise<CachedTimeline> => inTurn(userId, () => refresh(userId))

  const storyOf = (userId: UserId, { accountEntries, allEntries, snapshots, currentState, deleted }: CachedTimeline): AccountTimeline => {
    const foldedAfter = async (count: number): Promise<TimelineState> => {
      if (count === accountEntries.length) return currentState
      const whole = Math.floor(count / SNAPSHOT_INTERVAL)
      let folded = snapshots[whole] ?? emptyTimelineState
      const missing = accountEntries.slice(whole * SNAPSHOT_INTERVAL, count)
      const key = await keyOf(userId, deleted)
      for (const event of await readEventsAt(eventStore, missing)) folded = applyEvent(folded, decodeEvent(eventRegistry, event, key))
      return folded
    }
    return {
      userId,
      accountEntries: accountEntries,
      allEntries: allEntries,
      at: (moment) => entryAt(allEntries, moment),
      async stateAfter(entry) {
        const folded = await foldedAfter(lastIndexUpTo(accountEntries, entry.number) + 1)
        return auditStateOf(folded, userId, entry)
      },
      readStoredEvents: (entries) => readEventsAt(eventStore, entries),
      async readAuditEntries(entries, name) {
        const facts = new Map<TimelineEntry, AuditFact>()
        const missing: TimelineEntry[] = []
        for (const entry of entries) {
          const fact = tellings.get(entry)?.get(name)
          if (fact) facts.set(entry, fact)
          else missing.push(entry)
        }
        const key = await keyOf(userId, deleted)
        const events = await readEventsAt(eventStore, missing)
        for (const [index, entry] of missing.entries()) {
          const event = events[index]
          if (!event) continue
          const fact = toAuditEntry(decodeEvent(eventRegistry, event, key), name)
          facts.set(entry, fact)
          tellings.set(entry, new Map([...(tellings.get(entry) ?? []), [name, fact]]))
        }
        return entries.flatMap((entry) => facts.get(entry) ?? [])
      },
    }
  }

  return {
    async of(userId) {
      const found = await latest(userId)
      // A stream may hold nothing but that an email was claimed for somebody who then never came.
      return found.currentState.user.exists || found.currentState.user.deleted ? storyOf(userId, found) : undefined
    },
  }
}

/** Of entries in their order, the one with a number, or the last that had been recorded by a time. */
export function entryAt(entries: readonly TimelineEntry[], moment: Moment): TimelineEntry | undefined {
  if ('time' in moment) return entries.findLast((entry) => entry.at <= moment.time)
  const entry = entries[lastIndexUpTo(entries, moment.number)]
  return entry?.number === moment.number ? entry : undefined
}

/** The index of the last entry up to a number, -1 where there is none. */
function lastIndexUpTo(entries: readonly TimelineEntry[], number: number): number {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((entries[middle]?.number ?? Infinity) <= number) low = middle + 1
    else high = middle
  }
  return low - 1
}
