import { List } from 'immutable'
import { LRUCache } from 'lru-cache'
import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { entryOf, isEntryEvent } from '#services/trading/stream/ledger.ts'
import type { StampDocument } from '#services/framework/decision-stamp.ts'
import type { FindingId, ImportId, PayoutId } from '#services/framework/ids.ts'
import type { ObservationSource } from '#services/trading/stream/observation-vocabulary.ts'
import type { Calendar } from '#services/rules/calendar.ts'
import { judgesNews, type Stage } from '#services/trading/stream/stage.ts'
import { stageAfter, type StageEvent } from '#services/trading/stream/stage-events.ts'
import { type Hand, handsIn } from '#services/trading/stream/observation-hands.ts'
import type { StaffMember } from '#services/framework/api/actor.ts'
import { type StageEventDocument, stageEventIn, stageEvents } from '../stage-read-model.ts'

/** The stage of an account as queries know it, and the numbers of the events behind it. */
export interface StageFound {
  readonly stage: Stage
  /** Ms since 1970. */
  readonly begunAt: number
  readonly events: {
    /** The terms. */
    readonly terms: number
    /** The last entry of the ledger. */
    readonly balance: number
    readonly payouts: ReadonlyMap<PayoutId, number>
    /** The event that gave each observation its present content. */
    readonly observations: List<number>
    /** The events that recorded observations, each those from `first` on. */
    readonly recordings: List<Recording>
    /** The last correction of each observation that was corrected. */
    readonly corrections: ReadonlyMap<number, Correction>
    /** Who typed, imported or corrected observations. */
    readonly hands: List<Hand<StaffMember | null>>
    /** The entries that staff booked, in their order. */
    readonly bookings: List<number>
    /** The findings that staff dismissed. */
    readonly dismissals: ReadonlyMap<FindingId, number>
  }
}

/** What replaced an observation. Where it has a source, this one sent a trade again, with facts that were not known. */
export interface Correction extends StampDocument, Pick<Recording, 'importId'> {
  readonly reason: string
  readonly source: ObservationSource | null
}

/** How observations came: when, from where, and by whom. */
export interface Recording extends StampDocument {
  readonly first: number
  readonly source: ObservationSource
  readonly importId: ImportId | null
}

interface Known {
  readonly found: StageFound | null
  /** In cents. */
  readonly balance: number
  /** The number of the event that moved it last; null before the first. */
  readonly balanceEvent: number | null
  /** The number of the last event. */
  readonly upTo: number
}

/** How many observations of all accounts are remembered, about 500 bytes each. */
const MOST_REMEMBERED = 200_000
/** An account has few events since it was last asked for. */
const NEWEST = 20
const ALL = 5_000

export type Stages = ReturnType<typeof createStages>

/**
 * Folds the stages of accounts for queries. A stage is remembered, and continued by what is newer: folding a year of
 * trades takes some hundred milliseconds.
 */
export function createStages(readModels: Pick<ReadModels, 'find'>, readCalendar: () => Promise<Calendar>) {
  const remembered = new LRUCache<string, Known>({
    maxSize: MOST_REMEMBERED,
    sizeCalculation: ({ found }) => 10 + (found?.stage.timeline.rows.size ?? 0),
  })

  /** Reads the events after a number, oldest first. */
  const newerThan = async (accountId: string, number: number): Promise<readonly StageEventDocument[]> => {
    const newer: StageEventDocument[] = []
    let cursor: string | undefined
    do {
      const query = { where: { accountId }, limit: number === 0 ? ALL : NEWEST, ...(cursor && { cursor }) }
      const page = await readModels.find(stageEvents, query)
      const wanted = page.documents.filter((one) => one.number > number)
      newer.push(...wanted)
      cursor = wanted.length < page.documents.length ? undefined : page.next
    } while (cursor !== undefined)
    return newer.toReversed()
  }

  return {
    /** Null without terms. */
    async of(accountId: string): Promise<StageFound | null> {
      const before = remembered.get(accountId)
      const newer = await newerThan(accountId, before?.upTo ?? 0)
      const known = before ?? { found: null, balance: 0, balanceEvent: null, upTo: 0 }
      let after = newer.reduce((all, document) => knownAfter(all, document), known)
      if (newer.length > 0 && after.found && judgesNews(after.found.stage)) {
        const calendar = await readCalendar()
        after = newer.reduce((all, document) => knownAfter(all, document, calendar), known)
      }
      if (after.upTo > (remembered.get(accountId)?.upTo ?? 0)) remembered.set(accountId, after)
      return after.found
    },
  }
}

function knownAfter({ found, balance, balanceEvent }: Known, document: StageEventDocument, calendar?: Calendar): Known {
  const event = { ...stageEventIn(document), calendar }
  const stage = stageAfter(found?.stage ?? null, event, balance)
  return {
    found: stage && foundAfter(found, stage, event, document, balanceEvent),
    balance: isEntryEvent(event) ? entryOf(event).to : balance,
    balanceEvent: isEntryEvent(event) ? document.number : balanceEvent,
    upTo: document.number,
  }
}

function foundAfter(
  before: StageFound | null,
  stage: Stage,
  event: StageEvent,
  document: StageEventDocument,
  balanceEvent: number | null,
): StageFound {
  const { number, at } = document
  if (!before || event.type === 'TermsSet' || event.type === 'StageBegun') {
    const observed = {
      observations: List<number>(),
      recordings: List<Recording>(),
      corrections: new Map(),
      hands: List<Hand<StaffMember | null>>(),
    }
    const none = { ...observed, payouts: new Map(), bookings: List<number>(), dismissals: new Map() }
    return { stage, begunAt: at, events: { terms: number, balance: balanceEvent ?? number, ...none } }
  }
  return { stage, begunAt: before.begunAt, events: numbersAfter(before, event, document) }
}

function numbersAfter(
  { events }: StageFound,
  event: StageEvent,
  { number, at, staff, by }: StageEventDocument,
): StageFound['events'] {
  const stamp = { number, at, ...by }
  switch (event.type) {
    case 'ObservationsRecorded':
      return {
        ...events,
        observations: events.observations.concat(event.data.observations.map(() => number)),
        recordings: events.recordings.push({ ...stamp, ...recordedBy(event.data) }),
        hands: events.hands.concat(handsIn(event, number, staff)),
      }
    case 'ObservationCorrected': {
      const { observation, reason, source = null, importId = null } = event.data
      return {
        ...events,
        observations: events.observations.set(observation - 1, number),
        corrections: new Map(events.corrections).set(observation, { ...stamp, reason, source, importId }),
        hands: events.hands.concat(handsIn(event, number, staff)),
      }
    }
    case 'PayoutDeducted':
      return { ...events, balance: number, payouts: new Map(events.payouts).set(event.data.payoutId, number) }
    case 'EntryBooked':
      return { ...events, balance: number, bookings: events.bookings.push(number) }
    case 'FindingDismissed':
      return { ...events, dismissals: new Map(events.dismissals).set(event.data.finding, number) }
    case 'BreachConfirmed':
    case 'PassConfirmed': {
      const dismissals = new Map(events.dismissals)
      dismissals.delete(event.data.finding)
      return { ...events, dismissals }
    }
    case 'RuleFindingRaised':
      return events
    default:
      return { ...events, balance: number }
  }
}

function recordedBy({ first, source, importId }: Pick<Recording, 'first' | 'source' | 'importId'>) {
  return { first, source, importId }
}
