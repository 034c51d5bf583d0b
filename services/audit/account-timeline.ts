import { LRUCache } from 'lru-cache'
import type { EventStore, StoredEvent } from '../../infra/event-store/event-store.ts'
import type { AuditFact, AuditState, Moment } from '../api/index.ts'
import type { UserId } from '../domain/ids.ts'
import { decode } from '../event-sourcing/codec/event-codec.ts'
import { oneAfterTheOther } from '../event-sourcing/keyed-queue.ts'
import type { PersonKey, PersonKeys } from '../event-sourcing/crypto-shredding/person-keys.ts'
import { accounts, streamName, users } from '../domain/streams.ts'
import { type Entry, entryOf } from './timeline-entries.ts'
import { type Folded, foldOne, nothing, stateOf } from './account-state.ts'
import { readPlaces } from './timeline-filter.ts'
import { openSignIns } from './staff-sign-ins.ts'
import { type NameActor, tell } from './audit-entry.ts'

/**
 * The story of a person: the facts about who they are, and about their account with its payouts and certificates, in the
 * order of the log. Where each fact stands is remembered, and now and then what was true; what lies between is read from
 * the log and folded when somebody asks.
 */
export interface Story {
  readonly userId: UserId
  /** The person's own facts, oldest first. */
  readonly own: readonly Entry[]
  /** Those, with the sign-ins of the administrators that touched the account. */
  readonly all: readonly Entry[]
  /** The fact with a number, or the last that had been recorded by a time; undefined where the story has none. */
  at(moment: Moment): Entry | undefined
  /** What was true after a fact of the story. */
  stateAfter(entry: Entry): Promise<AuditState>
  /** Facts of the story as they are stored. */
  stored(entries: readonly Entry[]): Promise<StoredEvent[]>
  /** Facts of the story, told. */
  tell(entries: readonly Entry[], name: NameActor): Promise<AuditFact[]>
}

export interface Stories {
  /** The story as far as the log goes now; undefined for somebody who never was. */
  of(userId: UserId): Promise<Story | undefined>
}

export interface StoriesParts {
  readonly eventStore: Pick<EventStore, 'readStream' | 'end'>
  readonly personKeys: Pick<PersonKeys, 'get'>
}

/** So often it is remembered what was true. */
const INTERVAL = 100
/** Facts that are remembered, summed over all stories, and for how long. */
const REMEMBERED = 300_000
const REMEMBERED_FOR = 10 * 60_000

/** Told facts that are remembered, for as long: whoever looks at a page looks at it again. */
const TOLD = 20_000

interface Remembered {
  /** The log was read up to here. */
  readonly end: number
  readonly own: readonly Entry[]
  readonly all: readonly Entry[]
  /** What was true before the facts 0, 100, 200, … */
  readonly folds: readonly Folded[]
  readonly now: Folded
  /** Revisions that reading goes on from, of the person's stream and the account's. */
  readonly next: { readonly user: number; readonly account: number }
  /** Nothing personal is read, whatever is still known of the key. */
  readonly deleted: boolean
}

const unread: Remembered = { end: 0, own: [], all: [], folds: [], now: nothing, next: { user: 0, account: 0 }, deleted: false }

export function openStories({ eventStore, personKeys }: StoriesParts): Stories {
  const signIns = openSignIns(eventStore)
  const remembered = new LRUCache<string, Remembered>({
    maxSize: REMEMBERED,
    sizeCalculation: ({ own }) => own.length + 1,
    ttl: REMEMBERED_FOR,
    ttlAutopurge: true,
  })
  /** By their entries: when a person is erased the story gets others, so nothing told before is told again. */
  const tellings = new LRUCache<Entry, Map<NameActor, AuditFact>>({ max: TOLD, ttl: REMEMBERED_FOR, ttlAutopurge: true })
  const inTurn = oneAfterTheOther()

  const keyOf = async (userId: UserId, deleted: boolean): Promise<PersonKey | undefined> =>
    deleted ? 'destroyed' : (await personKeys.get([userId])).get(userId)

  /** All that is new of one stream, up to the same place of the log. */
  const readOn = async (stream: string, from: number, end: number): Promise<StoredEvent[]> => {
    const found: StoredEvent[] = []
    for await (const page of eventStore.readStream(stream, from)) found.push(...page.filter(({ position }) => Number(position) <= end))
    return found
  }

  const refresh = async (userId: UserId): Promise<Remembered> => {
    const end = Number(await eventStore.end())
    const known = remembered.get(userId) ?? unread
    if (known.end >= end) return known
    const user = await readOn(streamName(users, userId), known.next.user, end)
    const account = await readOn(streamName(accounts, userId), known.next.account, end)
    const deleted = known.deleted || user.some(({ type }) => type === 'UserDeleted')
    // Whatever was folded of somebody deleted still knew the person.
    const isErased = deleted && !known.deleted && known.own.length > 0
    const before = isErased ? { ...unread, deleted } : known
    if (isErased) for (const entry of known.all) tellings.delete(entry)
    const events = isErased
      ? [...(await readOn(streamName(users, userId), 0, end)), ...(await readOn(streamName(accounts, userId), 0, end))]
      : [...user, ...account]
    const told = await goneOn(before, events, { userId, end, deleted })
    if (told.own.length > 0) remembered.set(userId, told)
    return told
  }

  const goneOn = async (
    before: Remembered,
    events: readonly StoredEvent[],
    { userId, end, deleted }: { readonly userId: UserId; readonly end: number; readonly deleted: boolean },
  ): Promise<Remembered> => {
    if (events.length === 0) return { ...before, end }
    const key = await keyOf(userId, deleted)
    const [own, folds] = [[...before.own], [...before.folds]]
    let { now } = before
    const touched = new Map<number, Entry>()
    for (const event of [...events].sort((one, other) => Number(one.position) - Number(other.position))) {
      const fact = decode(event, key)
      const entry = entryOf(fact)
      if (own.length % INTERVAL === 0) folds.push(now)
      now = foldOne(now, fact)
      own.push(entry)
      if (entry.actor.kind !== 'admin') continue
      const signIn = await signIns.lastBefore(entry.actor.id, entry.number)
      if (signIn) touched.set(signIn.number, signIn)
    }
    const signedIn = before.all.filter(({ type }) => type === 'AdminSignedIn')
    for (const entry of signedIn) touched.delete(entry.number)
    const all = [...own, ...signedIn, ...touched.values()].sort((one, other) => one.number - other.number)
    const count = (category: string) => own.filter(({ stream }) => stream.startsWith(category)).length
    return { end, own, all, folds, now, next: { user: count('user-'), account: count('account-') }, deleted }
  }

  /** Who comes while a person is being read waits and reads on. */
  const latest = (userId: UserId): Promise<Remembered> => inTurn(userId, () => refresh(userId))

  const storyOf = (userId: UserId, { own, all, folds, now, deleted }: Remembered): Story => {
    const foldedAfter = async (count: number): Promise<Folded> => {
      if (count === own.length) return now
      const whole = Math.floor(count / INTERVAL)
      let folded = folds[whole] ?? nothing
      const missing = own.slice(whole * INTERVAL, count)
      const key = await keyOf(userId, deleted)
      for (const event of await readPlaces(eventStore, missing)) folded = foldOne(folded, decode(event, key))
      return folded
    }
    return {
      userId,
      own,
      all,
      at: (moment) => entryAt(all, moment),
      async stateAfter(entry) {
        const folded = await foldedAfter(lastUpTo(own, entry.number) + 1)
        return stateOf(folded, { userId, key: await keyOf(userId, deleted), last: entry })
      },
      stored: (entries) => readPlaces(eventStore, entries),
      async tell(entries, name) {
        const facts = new Map<Entry, AuditFact>()
        const missing: Entry[] = []
        for (const entry of entries) {
          const fact = tellings.get(entry)?.get(name)
          if (fact) facts.set(entry, fact)
          else missing.push(entry)
        }
        const key = await keyOf(userId, deleted)
        const events = await readPlaces(eventStore, missing)
        for (const [index, entry] of missing.entries()) {
          const event = events[index]
          if (!event) continue
          const fact = tell(decode(event, key), name)
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
      return found.now.user.exists || found.now.user.deleted ? storyOf(userId, found) : undefined
    },
  }
}

/** Of entries in their order, the one with a number, or the last that had been recorded by a time. */
export function entryAt(entries: readonly Entry[], moment: Moment): Entry | undefined {
  if ('time' in moment) return entries.findLast((entry) => entry.at <= moment.time)
  const entry = entries[lastUpTo(entries, moment.number)]
  return entry?.number === moment.number ? entry : undefined
}

/** The index of the last entry up to a number, -1 where there is none. */
function lastUpTo(entries: readonly Entry[], number: number): number {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((entries[middle]?.number ?? Infinity) <= number) low = middle + 1
    else high = middle
  }
  return low - 1
}
