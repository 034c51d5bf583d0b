import { setImmediate as turn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { EventStore, StoredEvent } from '#infra/event-store/event-store.ts'
import type { AuditState, Moment } from '../audit-api.ts'
import type { AuditEvent } from '../audit-event-api.ts'
import { type AccountId, accountId, ownerOf, type UserId, userId as userIdSchema } from '#services/framework/ids.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { type AnyEvent, eventRegistry } from '#services/oversight/event-catalogue.ts'
import { streamName } from '#services/event-sourcing/aggregate-type.ts'
import { destinationStreams } from '#services/payments/destinations/saved-destination.ts'
import { userNoteStreams } from '#services/identity/user-notes/user-note.ts'
import { userFactors } from '#services/identity/second-factors/second-factor.ts'
import { userEvents, userStreams } from '#services/identity/users/user.ts'
import { decodeEvent, type RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { disclosuresOf } from '#services/event-sourcing/crypto-shredding/disclosures.ts'
import { definitionOf } from '#services/event-sourcing/event-registry.ts'
import { isAuthentic } from '#services/event-sourcing/codec/event-authentication.ts'
import type { PersonKey, PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { readSealedStream, type SealedStreams } from '#services/event-sourcing/sealed-stream.ts'
import { createKeyedQueue } from '#services/event-sourcing/keyed-queue.ts'
import { applyEvent, auditStateOf, emptyTimelineState, type TimelineState } from '../account-state.ts'
import { accountIdOfStream, type ActorFormatter, toAuditEntry } from '../audit-entry.ts'
import { isPayoutVerdict, judgePayout } from '../payout-verdicts.ts'
import { verdictSentence } from '../verification-words.ts'
import { createCalendarReader, exportedNews } from './exported-news.ts'
import { entryAt, type TimelineEntry, timelineEntryOf } from './timeline-entries.ts'
import { adminKeyStreams } from '#services/identity/staff/access-key.ts'

/**
 * The timeline of a person: the events of the user and of all accounts, or one, with payouts and certificates, in the
 * order of the log. Stored events and a snapshot of the state every so many events are cached; the rest is decoded on demand.
 */
export interface AccountTimeline {
  /** The subject of the request: a user with all accounts, or one account with its user. */
  readonly id: UserId | AccountId
  readonly userId: UserId
  /** The accounts that it covers, oldest first. */
  readonly accountIds: readonly AccountId[]
  /** The streams of the user and of these accounts: those that an export with proof holds as a whole. */
  readonly streams: readonly string[]
  /** The person's own events, oldest first. */
  readonly accountEntries: readonly TimelineEntry[]
  /**
   * The same with the events of the person's second factors, saved destinations and internal notes, which change nothing of the account
   * and are in no export with proof.
   */
  readonly ownEntries: readonly TimelineEntry[]
  /** Some of its entries, with what of the calendar of news judges its trades: a proof needs that, too. */
  withNews(entries: readonly TimelineEntry[]): Promise<readonly TimelineEntry[]>
  /** The account's with the sign-ins under which administrators changed it: what an export with proof holds. */
  readonly exportedEntries: readonly TimelineEntry[]
  /** All of them: the own ones with the sign-ins under which administrators changed the account, from the first own one on. */
  readonly allEntries: readonly TimelineEntry[]
  /** The event with a number, or the last up to a time; undefined where the timeline has none. */
  at(moment: Moment): TimelineEntry | undefined
  /** The state after an event of the timeline. */
  stateAfter(entry: TimelineEntry): Promise<AuditState>
  /** Events of the timeline as the audit shows them. */
  readAuditEntries(entries: readonly TimelineEntry[], format: ActorFormatter): Promise<AuditEvent[]>
  /**
   * For each of these events, the disclosures of all its personal fields that are no secrets; none after an erasure.
   */
  readDisclosures(events: readonly StoredEvent[]): Promise<string[][]>
}

interface TimelineDependencies extends SealedStreams {
  readonly eventStore: Pick<EventStore, 'readStream' | 'end'>
  readonly personKeys: Pick<PersonKeys, 'get'>
}

/** Events between two snapshots of the state. */
const SNAPSHOT_INTERVAL = 100
/** Events that are cached, summed over all timelines, and for how long. An event takes about a kilobyte. */
const MAX_CACHED_EVENTS = 100_000
const CACHE_TTL = 10 * 60_000

interface CachedTimeline {
  /** The log was read up to here. */
  readonly end: number
  readonly accountEntries: readonly TimelineEntry[]
  readonly ownEntries: readonly TimelineEntry[]
  readonly allEntries: readonly TimelineEntry[]
  /** The states before the events 0, 100, 200, … */
  readonly snapshots: readonly TimelineState[]
  readonly currentState: TimelineState
  /** Nothing personal is decrypted any more, even while a key is still cached. */
  readonly deleted: boolean
}

const emptyTimeline: CachedTimeline = {
  end: 0,
  accountEntries: [],
  ownEntries: [],
  allEntries: [],
  snapshots: [],
  currentState: emptyTimelineState,
  deleted: false,
}

export type AccountTimelines = ReturnType<typeof createAccountTimelines>

/** The timelines of all people, each read and decoded when it is asked for. */
export function createAccountTimelines({ eventStore, personKeys, streamHeads }: TimelineDependencies) {
  const streams: SealedStreams = { eventStore, ...(streamHeads && { streamHeads }) }
  const signIns = createStaffSignIns(streams)
  const readCalendar = createCalendarReader(streams)
  const cache = new LRUCache<string, CachedTimeline>({
    maxSize: MAX_CACHED_EVENTS,
    sizeCalculation: ({ ownEntries }) => ownEntries.length + 1,
    ttl: CACHE_TTL,
    ttlAutopurge: true,
  })
  const queue = createKeyedQueue()

  const keyOf = async (userId: UserId, { deleted }: Pick<CachedTimeline, 'deleted'>): Promise<PersonKey | undefined> =>
    deleted ? 'destroyed' : (await personKeys.get([userId])).get(userId)

  /** The events of a stream that follow the known ones, up to a position of the log. */
  const readNew = async (stream: string, known: readonly TimelineEntry[], end: number): Promise<StoredEvent[]> => {
    const next = (known.findLast(({ stored }) => stored.stream === stream)?.stored.revision ?? -1) + 1
    const events: StoredEvent[] = []
    for await (const page of readSealedStream(streams, stream, next))
      events.push(...page.filter((event) => Number(event.position) <= end && isAuthentic(event)))
    return events
  }

  const refresh = async (userId: UserId): Promise<CachedTimeline> => {
    const end = Number(await eventStore.end())
    const cached = cache.get(userId) ?? emptyTimeline
    if (cached.end >= end) return cached
    const { ownEntries } = cached
    const events: StoredEvent[] = []
    for (const type of [userStreams, ...besidesAccount])
      events.push(...(await readNew(streamName(type, userId), ownEntries, end)))
    // The user's stream says which accounts there are.
    for (const id of [...cached.currentState.user.accounts, ...events.flatMap(assignedIn)])
      events.push(...(await readNew(streamName(accountStreams, id), ownEntries, end)))
    const deleted = cached.deleted || events.some(({ type }) => type === 'UserDeleted')
    // The cached states of a deleted user still hold personal data: fold them again without it.
    const [before, following] =
      deleted && !cached.deleted
        ? [emptyTimeline, [...ownEntries.map(({ stored }) => stored), ...events]]
        : [cached, events]
    const timeline = { ...(await extend(before, following, await keyOf(userId, { deleted }))), end, deleted }
    if (timeline.ownEntries.length > 0) cache.set(userId, timeline)
    return timeline
  }

  const extend = async (
    before: CachedTimeline,
    events: readonly StoredEvent[],
    key: PersonKey | undefined,
  ): Promise<CachedTimeline> => {
    if (events.length === 0) return before
    const calendar = await readCalendar()
    const accountEntries = [...before.accountEntries]
    const ownEntries = [...before.ownEntries]
    const snapshots = [...before.snapshots]
    let { currentState } = before
    const allEntries = new Map(before.allEntries.map((entry) => [entry.number, entry]))
    for (const event of [...events].sort((one, other) => Number(one.position) - Number(other.position))) {
      const entry = timelineEntryOf(event)
      ownEntries.push(entry)
      if (!isBesidesAccount(entry)) {
        if (accountEntries.length % SNAPSHOT_INTERVAL === 0) {
          snapshots.push(currentState)
          // Other requests have their turn within a long history.
          await turn()
        }
        currentState = applyEvent(currentState, { ...decodeEvent(eventRegistry, event, key), calendar })
        accountEntries.push(entry)
      }
      const signIn = entry.actor.kind === 'admin' ? await signIns.lastBefore(entry.actor.id, entry.number) : undefined
      for (const each of signIn ? [signIn, entry] : [entry]) allEntries.set(each.number, each)
    }
    const inOrder = [...allEntries.values()].sort((one, other) => one.number - other.number)
    return { ...before, accountEntries, ownEntries, allEntries: inOrder, snapshots, currentState }
  }

  const createTimeline = (id: UserId | AccountId, userId: UserId, cached: CachedTimeline): AccountTimeline => {
    const { accountEntries, snapshots, currentState } = cached
    const isShown = (account: AccountId) => id === userId || id === account
    const isCovered = ({ stored }: TimelineEntry) => {
      const account = accountIdOfStream(stored.stream)
      return account === null || isShown(account)
    }
    // Whoever created the person had signed in before: the history of a person begins with the person.
    const begin = cached.ownEntries[0]?.number ?? 0
    const allEntries = cached.allEntries.filter((entry) => isCovered(entry) && entry.number >= begin)
    const stateAfterFirst = async (count: number): Promise<TimelineState> => {
      if (count === accountEntries.length) return currentState
      const snapshot = Math.floor(count / SNAPSHOT_INTERVAL)
      const [key, calendar] = [await keyOf(userId, cached), await readCalendar()]
      return accountEntries
        .slice(snapshot * SNAPSHOT_INTERVAL, count)
        .reduce(
          (state, { stored }) => applyEvent(state, { ...decodeEvent(eventRegistry, stored, key), calendar }),
          snapshots[snapshot] ?? emptyTimelineState,
        )
    }
    /** What the terms said of a payout at that entry, in words; null for any other. */
    const judgementOf = async (event: RecordedEvent<AnyEvent>, number: number): Promise<string | null> => {
      const account = accountIdOfStream(event.stream)
      const before = accountEntries.findIndex((entry) => entry.number === number)
      if (!account || before === -1 || !isPayoutVerdict(event)) return null
      const state = (await stateAfterFirst(before)).accounts.get(account)
      return state ? verdictSentence(judgePayout(state, event, event.at)) : null
    }
    return {
      id,
      userId,
      accountIds: [...currentState.accounts.keys()].filter(isShown),
      streams: [
        streamName(userStreams, userId),
        ...currentState.user.accounts.filter(isShown).map((account) => streamName(accountStreams, account)),
      ],
      accountEntries: accountEntries.filter(isCovered),
      ownEntries: cached.ownEntries.filter(isCovered),
      async withNews(entries) {
        const accounts = [...currentState.accounts].flatMap(([account, state]) => (isShown(account) ? [state] : []))
        const news = (await exportedNews(streams, accounts, cached.end)).map(timelineEntryOf)
        return news.length === 0 ? entries : [...entries, ...news].sort((one, other) => one.number - other.number)
      },
      get exportedEntries() {
        return allEntries.filter((entry) => !isBesidesAccount(entry))
      },
      allEntries,
      at: (moment) => entryAt(allEntries, moment),
      stateAfter: async (entry) =>
        auditStateOf(
          await stateAfterFirst(accountEntries.findLastIndex(({ number }) => number <= entry.number) + 1),
          userId,
          entry,
          isShown,
        ),
      async readAuditEntries(entries, format) {
        const key = await keyOf(userId, cached)
        const audited: AuditEvent[] = []
        for (const { stored, number } of entries) {
          const event = decodeEvent(eventRegistry, stored, key)
          const entry = toAuditEntry(event, format)
          const said = await judgementOf(event, number)
          audited.push(said === null ? entry : { ...entry, judgement: said })
        }
        return audited
      },
      async readDisclosures(events) {
        const key = await keyOf(userId, cached)
        return events.map((event) => {
          const { disclosable } = definitionOf(eventRegistry, event.type)
          return disclosable.size > 0 ? disclosuresOf(decodeEvent(eventRegistry, event, key), disclosable) : []
        })
      },
    }
  }

  return {
    /**
     * The timeline as far as the log goes now; undefined for an id that no user and no account ever had.
     *
     * @throws {ShortStream} when a stream has lost events that were sealed.
     */
    async of(id: UserId | AccountId): Promise<AccountTimeline | undefined> {
      const account = accountId.safeParse(id).data
      const userId = account ? ownerOf(account) : userIdSchema.parse(id)
      // Concurrent requests share one reading of the log.
      const timeline = await queue(userId, () => refresh(userId))
      // A stream may hold nothing but the claim on an email for a user who was never created.
      const { exists, deleted } = timeline.currentState.user
      if (!exists && !deleted) return undefined
      return account && !timeline.currentState.accounts.has(account) ? undefined : createTimeline(id, userId, timeline)
    },
  }
}

/** The account that an event of a user's stream assigns. */
function assignedIn({ type, data }: StoredEvent): AccountId[] {
  return type === 'AccountAssigned' ? [userEvents.AccountAssigned.schema.parse(JSON.parse(data)).accountId] : []
}

/** Streams of a person that change nothing of an account. */
const besidesAccount = [userFactors, destinationStreams, userNoteStreams]

function isBesidesAccount({ stored }: TimelineEntry): boolean {
  return besidesAccount.some((type) => stored.stream.startsWith(streamName(type, '')))
}

/** When administrators signed in, read from the streams of their access keys. */
function createStaffSignIns(streams: SealedStreams) {
  const cache = new Map<string, { next: number; readonly entries: TimelineEntry[] }>()

  const refresh = async (keyId: string): Promise<readonly TimelineEntry[]> => {
    const cached = cache.get(keyId) ?? { next: 0, entries: [] }
    cache.set(keyId, cached)
    for await (const page of readSealedStream(streams, streamName(adminKeyStreams, keyId), cached.next))
      for (const event of page) {
        // A concurrent refresh may have read further.
        if (event.revision < cached.next) continue
        cached.next = event.revision + 1
        if (event.type === 'AdminSignedIn' && isAuthentic(event)) cached.entries.push(timelineEntryOf(event))
      }
    return cached.entries
  }

  return {
    /** The last sign-in with a key before an event: the one under which the event was appended. */
    async lastBefore(keyId: string, number: number): Promise<TimelineEntry | undefined> {
      const entries = cache.get(keyId)?.entries ?? []
      // The cache suffices when it holds a later sign-in.
      const suffices = (entries.at(-1)?.number ?? 0) > number
      return (suffices ? entries : await refresh(keyId)).findLast((entry) => entry.number < number)
    },
  }
}
