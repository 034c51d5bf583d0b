import { List } from 'immutable'
import type { LedgerEntry } from './ledger.ts'
import type { ImportId } from '#services/framework/ids.ts'
import { type KnownObservations, noObservations, withCorrection, withObservations } from './known-observations.ts'
import { type Calendar, emptyCalendar } from '#services/rules/calendar.ts'
import { type Cents, centsOf, toCents } from '#services/rules/money.ts'
import { evaluate, type Line, type Rules, rulesOf, type State } from '#services/rules/engine.ts'
import { contentOf, type Observation, type Trade } from '#services/rules/observation.ts'
import type { Moment } from '#services/rules/instant.ts'
import type { AccountTerms, ProgrammeTerms } from '#services/rules/programme.ts'
import { type Account, type AccountEvent, assertOpen, setByProgramme } from './account.ts'
import {
  type DismissedHits,
  dismissedOf,
  emptyTimeline,
  placeOf,
  replacedRows,
  type SeenRow,
  type Timeline,
  withRows,
} from './stage-timeline.ts'

/** The stage that an account is in: what the rule engine has seen of it, and where it stands. */
export interface Stage {
  readonly terms: ProgrammeTerms
  /** Its index in the terms. */
  readonly index: number
  /** Under a programme it sees observations; by terms alone, each entry of the ledger as a reported balance. */
  readonly ofProgramme: boolean
  /** When it began, ms since 1970. */
  readonly begunAt: number
  /** What its rules about news judge by. */
  readonly calendar: Calendar
  /** The version of the decisions under which it began. */
  readonly decisions: number
  readonly known: KnownObservations
  readonly bookedBack: List<BookedBack>
  readonly timeline: Timeline
  /** The hits of the engine that staff dismissed. */
  readonly dismissed: DismissedHits
}

/** A payout that counts as never paid: balances that were reported in between lack it. */
interface BookedBack {
  /** Null where it was paid before the stage began. */
  readonly from: Moment | null
  readonly to: Moment
  readonly amount: number
}

type Compiled = WeakMap<ProgrammeTerms, Map<string, Rules>>
const compiled = new WeakMap<Calendar, Compiled>()

/** Rules hold functions, and a state is plain data: they are compiled beside it. */
export function rulesOfStage(stage: Pick<Stage, 'terms' | 'index' | 'decisions' | 'calendar'>): Rules {
  const { terms, index, decisions, calendar } = stage
  const byTerms: Compiled = compiled.get(calendar) ?? new WeakMap()
  const stages = byTerms.get(terms) ?? new Map<string, Rules>()
  const key = `${index} ${decisions}`
  const rules = stages.get(key) ?? rulesOf(terms, index, decisions, calendar)
  stages.set(key, rules)
  byTerms.set(terms, stages)
  compiled.set(calendar, byTerms)
  return rules
}

/** Whether its rules judge by the calendar. */
export function judgesNews({ terms, index }: Pick<Stage, 'terms' | 'index'>): boolean {
  return terms.stages[index]?.rules.some(({ kind }) => kind === 'news') ?? false
}

/** The stage with a calendar that may be longer: what was judged with less of it stays. */
export function withCalendar(stage: Stage, calendar: Calendar | undefined): Stage {
  return !calendar || calendar === stage.calendar || !judgesNews(stage) ? stage : { ...stage, calendar }
}

const MOST_SHARED = 1_000
const shared = new Map<string, ProgrammeTerms>()

/** One object for all accounts with the same terms, whose rules are compiled once. */
function sharedTerms(terms: ProgrammeTerms): ProgrammeTerms {
  const text = JSON.stringify(terms)
  const known = shared.get(text) ?? terms
  if (shared.size >= MOST_SHARED) shared.clear()
  shared.set(text, known)
  return known
}

const nothingDismissed: DismissedHits = { rows: new Set(), times: new Set() }

/** When a stage begins, in ms since 1970, and under which version of the decisions; without one that of 0.2.0. */
interface Beginning {
  readonly at: number
  readonly decisions?: number | undefined
}

function newStage(
  terms: ProgrammeTerms,
  index: number,
  ofProgramme: boolean,
  { at: begunAt, decisions = 1 }: Beginning,
): Stage {
  const stage = {
    terms: sharedTerms(terms),
    index,
    ofProgramme,
    begunAt,
    decisions,
    calendar: emptyCalendar,
    known: noObservations,
    bookedBack: List<BookedBack>(),
  }
  return { ...stage, timeline: emptyTimeline(rulesOfStage(stage)), dismissed: nothingDismissed }
}

/** A stage of a programme. It opens with its first observation. */
export function beginStage(terms: ProgrammeTerms, index: number, beginning: Beginning): Stage {
  return newStage(terms, index, true, beginning)
}

/** Terms alone begin with the balance of that moment. */
export function beginTerms(terms: AccountTerms, beginning: Beginning, balance: number): Stage {
  return withReportedBalance(newStage(terms, 0, false, beginning), beginning.at, balance)
}

/** The stage after an entry of the ledger. */
export function stageAfterEntry(stage: Stage, at: number, { kind, from, to, payoutId, booking }: LedgerEntry): Stage {
  const isReversed = kind === 'payout-reversed' || kind === 'forfeit-reversed'
  if (isReversed && payoutId) return asIfNeverPaid(stage, payoutId, momentAfter(stage, at), to - from)
  // An entry that staff booked is no profit.
  if (booking)
    return withSeen(stage, [
      {
        source: null,
        observation: { at: momentAfter(stage, at), kind: 'transfer', amount: toCents(to - from), why: kind },
      },
    ])
  const isPaid = kind === 'payout' || kind === 'forfeit'
  if (!isPaid || !payoutId) return stage.ofProgramme ? stage : withReportedBalance(stage, at, to)
  const paid = { at: momentAfter(stage, at), kind: 'payout', amount: toCents(from - to) } as const
  const observation = kind === 'forfeit' ? { ...paid, forfeited: true as const } : paid
  return withSeen(stage, [{ source: payoutId, observation }])
}

function withReportedBalance(stage: Stage, at: number, balance: number): Stage {
  const value = toCents(balance)
  return withSeen(stage, [
    {
      source: null,
      observation: {
        at: momentAfter(stage, at),
        kind: 'state',
        balance: value,
        equity: value,
        open: false,
        quality: 'reported',
      },
    },
  ])
}

function withSeen(stage: Stage, rows: readonly SeenRow[]): Stage {
  return { ...stage, timeline: withRows(rulesOfStage(stage), stage.timeline, rows, stage.dismissed) }
}

/** "What was booked back is for the engine as if never paid": balances since then are higher by it. */
function asIfNeverPaid(stage: Stage, id: SeenRow['source'], to: Moment, amount: number): Stage {
  const { timeline } = stage
  const paid = timeline.rows.findLastIndex(({ source }) => source === id)
  const from = timeline.rows.get(paid)?.observation.at ?? null
  const replace = (row: SeenRow): SeenRow | null =>
    row.source === id ? null : { ...row, observation: higherBy(row.observation, amount) }
  return {
    ...stage,
    bookedBack: stage.bookedBack.push({ from: paid === -1 ? null : from, to, amount }),
    timeline: replacedRows(rulesOfStage(stage), timeline, Math.max(0, paid), replace, stage.dismissed),
  }
}

function higherBy(observation: Observation, amount: number): Observation {
  const raised = (value: number) => toCents(value + amount)
  switch (observation.kind) {
    case 'state':
      return { ...observation, balance: raised(observation.balance), equity: raised(observation.equity) }
    case 'day':
      return {
        ...observation,
        balance: raised(observation.balance),
        equity: raised(observation.equity),
        lowestEquity: raised(observation.lowestEquity),
        highestEquity: raised(observation.highestEquity),
      }
    case 'trade':
    case 'transfer':
    case 'payout':
    case 'clock':
      return observation
  }
}

/** The stage after observations that were recorded under the next numbers, in any order of their instants. */
export function stageAfterObservations(
  stage: Stage,
  observations: readonly Observation[],
  importId: ImportId | null,
): Stage {
  const first = stage.known.list.size + 1
  const rows = observations.map((observation, index) => seenRow(stage, first + index, observation))
  return withSeen({ ...stage, known: withObservations(stage.known, observations, importId) }, rows)
}

/**
 * The stage after the correction of an observation.
 *
 * @param importId The import that only added facts to it.
 */
export function stageAfterCorrection(
  stage: Stage,
  number: number,
  to: Observation | null,
  importId: ImportId | null = null,
): Stage {
  const { timeline } = stage
  const known = withCorrection(stage.known, number, to, importId)
  const index = indexOfRow(stage, number)
  const row = timeline.rows.get(index)
  if (row && to && isEvaluatedAlike(rulesOfStage(stage), row.observation, to))
    return { ...stage, known, timeline: { ...timeline, rows: timeline.rows.set(index, { ...row, observation: to }) } }
  const without =
    index === -1
      ? timeline
      : replacedRows(
          rulesOfStage(stage),
          timeline,
          index,
          (each) => (each.source === number ? null : each),
          stage.dismissed,
        )
  const corrected = { ...stage, known, timeline: without }
  return to ? withSeen(corrected, [seenRow(stage, number, to)]) : corrected
}

/** Finds the row of an observation by its place in the order: a source may tell thousands of trades again. */
function indexOfRow({ known, timeline, bookedBack }: Stage, number: number): number {
  const now = known.list.get(number - 1)?.now
  const isMine = (row: SeenRow | undefined) => row?.source === number
  const index = now && bookedBack.isEmpty() ? placeOf(timeline, { source: number, observation: now }) - 1 : -1
  return isMine(timeline.rows.get(index)) ? index : timeline.rows.findIndex(isMine)
}

/**
 * Whether the engine gets the same of two tellings of a trade, at the same place: it sees no prices, and symbols and sides
 * only where its rules ask for single trades.
 */
export function isEvaluatedAlike(rules: Pick<Rules, 'remembersTrades'>, one: Observation, other: Observation): boolean {
  if (one.kind !== 'trade' || other.kind !== 'trade') return false
  const seen = ({ openPrice: _openPrice, closePrice: _closePrice, symbol, side, ...trade }: Trade) =>
    contentOf(
      rules.remembersTrades
        ? { ...trade, ...(symbol !== undefined && { symbol }), ...(side !== undefined && { side }) }
        : trade,
    )
  return seen(one) === seen(other)
}

/** The stage with a clock at a moment, in ms: time alone decided something then. */
export function stageWithClock(stage: Stage, at: number): Stage {
  const isThere = stage.timeline.rows.some(
    ({
      observation: {
        kind,
        at: { ms },
      },
    }) => kind === 'clock' && ms === at,
  )
  return isThere ? stage : withSeen(stage, [{ source: null, observation: { at: momentOf(at), kind: 'clock' } }])
}

/** The stage as if nothing older than its beginning was recorded; the same where nothing is. */
export function stageWithoutOlderRows(stage: Stage): Stage {
  const { timeline, begunAt } = stage
  const isOlder = ({ source, observation: { at } }: SeenRow) => typeof source === 'number' && at.ms < begunAt
  if (!timeline.rows.some(isOlder)) return stage
  const newer = (row: SeenRow) => (isOlder(row) ? null : row)
  return { ...stage, timeline: replacedRows(rulesOfStage(stage), timeline, 0, newer, stage.dismissed) }
}

/** Where the engine found something: a row, or an instant (in ms) at which time alone decided. */
export interface Hit {
  readonly source: SeenRow['source']
  readonly at: number
}

/** The stage once staff dismissed a hit, or took that back: what follows is evaluated again. */
export function stageAfterDismissal(stage: Stage, { source, at }: Hit, isDismissed: boolean): Stage {
  const { rows, times } = stage.dismissed
  if ((source === null ? times.has(at) : rows.has(source)) === isDismissed) return stage
  const dismissed =
    source === null
      ? { rows, times: changedSet(times, at, isDismissed) }
      : { rows: changedSet(rows, source, isDismissed), times }
  const { timeline } = stage
  const first = timeline.rows.findIndex(({ observation }) => observation.at.ms >= at)
  if (first === -1) return { ...stage, dismissed }
  return { ...stage, dismissed, timeline: replacedRows(rulesOfStage(stage), timeline, first, (row) => row, dismissed) }
}

function changedSet<Value>(values: ReadonlySet<Value>, value: Value, isIn: boolean): ReadonlySet<Value> {
  const changed = new Set(values)
  if (isIn) changed.add(value)
  else changed.delete(value)
  return changed
}

function seenRow({ bookedBack }: Stage, number: number, observation: Observation): SeenRow {
  const { at } = observation
  const missing = bookedBack.filter(({ from, to }) => (!from || isAfter(at, from)) && !isAfter(at, to))
  return { source: number, observation: missing.reduce((seen, { amount }) => higherBy(seen, amount), observation) }
}

function isAfter(one: Moment, other: Moment): boolean {
  return one.ms > other.ms || (one.ms === other.ms && one.ns > other.ns)
}

/** The balance that the engine knows; the account size before the first observation. */
export function balanceOfStage({ terms, timeline }: Stage): Cents {
  return toCents(timeline.engine.account?.balance ?? centsOf(terms.accountSize))
}

/** The stage, if payouts follow from it: it is a funded one. */
export function payingStage(stage: Stage | null): Stage | null {
  return stage && rulesOfStage(stage).payouts ? stage : null
}

/** The stage at a moment, in ms: only time has passed since the last event. */
export function stageAt(
  stage: Stage,
  now: number,
): { readonly rules: Rules; readonly state: State; readonly line: Line } {
  const rules = rulesOfStage(stage)
  const row: SeenRow = { source: null, observation: { at: momentOf(now), kind: 'clock' } }
  return { rules, ...evaluate(rules, stage.timeline.engine, row.observation, dismissedOf(row, stage.dismissed)) }
}

/** This moment, in ms; right after what the stage knows of later moments. What the portal does follows what it knew. */
export function momentAfter({ timeline }: Pick<Stage, 'timeline'>, at: number): Moment {
  const last = timeline.rows.last()?.observation.at
  return !last || last.ms < at ? momentOf(at) : momentOf(last.ms, last.ns + 1)
}

const NANOSECONDS = 1_000_000

function momentOf(ms: number, ns = 0): Moment {
  if (ns >= NANOSECONDS) return momentOf(ms + 1)
  const text = new Date(ms).toISOString()
  return { text: ns === 0 ? text : text.replace('Z', `${String(ns).padStart(6, '0')}Z`), ms, ns }
}

/**
 * Sets the terms of an account, or takes them away with null. Setting them again starts over, which also corrects a
 * mistyped balance.
 */
export function setTerms(
  { account, stage }: { readonly account: Account; readonly stage: Stage | null },
  terms: AccountTerms | null,
): AccountEvent[] {
  assertOpen(account)
  if (!terms && !stage) return []
  if (account.programme) throw setByProgramme('terms')
  return [{ type: 'TermsSet', data: { from: stage?.terms.name ?? null, terms } }]
}
