import { Refused } from '#services/event-sourcing/refusal.ts'
import { type Account, accountNotFound } from './account.ts'
import {
  balanceOfStage,
  momentAfter,
  rulesOfStage,
  type Stage,
  stageAfterCorrection,
  stageAfterObservations,
} from './stage.ts'
import type { ImportId } from '#services/framework/ids.ts'
import type { EntryEvent } from './ledger.ts'
import { type TypedKind, typedKinds } from './ledger-vocabulary.ts'
import { type Cents, toCents } from '#services/rules/money.ts'
import { contentOf, compareObservations, type Observation } from '#services/rules/observation.ts'
import { dateOf } from '#services/rules/day-terms.ts'
import { fits, isTaken, lookUp, withCorrection, withObservations } from './known-observations.ts'
import type { ObservationEvent } from './observation-events.ts'
import type { ObservationSource, RowOutcome } from './observation-vocabulary.ts'

/**
 * Decisions on what is observed of an account under a programme: which rows are new, what a correction replaces, and
 * the entries of the ledger that bring its balance to what was observed.
 */

/** The parts of an account's state that these decisions need. */
export interface ObservedAccount {
  readonly account: Pick<Account, 'id' | 'erased' | 'balance'>
  readonly stage: Stage | null
}

type BalanceChanged = Extract<EntryEvent, { type: 'BalanceChanged' }>
export type ObservingEvent = ObservationEvent | BalanceChanged

/** The outcome of a row, and the reason why it was not recorded. */
export interface RowResult {
  readonly outcome: RowOutcome
  readonly reason: string | null
}

export interface Recording {
  readonly events: readonly ObservingEvent[]
  /** The result of each row, in the order of the rows. */
  readonly results: readonly RowResult[]
}

/** One event holds at most so many. */
const MOST_IN_EVENT = 500

/**
 * Records the rows that are new. They are evaluated together, in the order of their instants.
 *
 * @param importId A row that this import recorded already counts as recorded: an import may begin again after a crash.
 */
export function recordObservations(
  state: ObservedAccount,
  rows: readonly Observation[],
  source: ObservationSource,
  importId: ImportId | null = null,
): Recording {
  return atOnce(recordingObservations(state, rows, source, importId))
}

/** The rows after which a long decision lets others have their turn. */
const ROWS_A_TURN = 500

/** A decision on many rows. It yields where others may have their turn. */
export type InTurns<Result> = Generator<undefined, Result, undefined>

/** The decision without a pause. */
export function atOnce<Result>(decision: InTurns<Result>): Result {
  for (;;) {
    const { done, value } = decision.next()
    if (done) return value
  }
}

/** {@link recordObservations} for many rows. */
export function* recordingObservations(
  state: ObservedAccount,
  rows: readonly Observation[],
  source: ObservationSource,
  importId: ImportId | null,
): InTurns<Recording> {
  const { stage } = state
  const refusal = whyNoneIsRecorded(state)
  if (refusal !== null || !stage) return { events: [], results: rows.map(() => refused(refusal ?? NO_PROGRAMME)) }
  const { results, added, told } = yield* readRows(stage, rows, importId)
  const after = yield* stageAfterRows(stage, added)
  return {
    events: [
      ...told.map((trade) => toldAgain(trade, source, importId)),
      ...recordedIn(stage, added, source, importId),
      ...ledgerEntries(state, added, after),
    ],
    results,
  }
}

const NEW_FACTS = 'The source stated facts of this trade that were not known'

function toldAgain(
  { number, from, to }: ToldTrade,
  source: ObservationSource,
  importId: ImportId | null,
): Extract<ObservationEvent, { type: 'ObservationCorrected' }> {
  const data = { observation: number, from, to, reason: NEW_FACTS, source, ...(importId !== null && { importId }) }
  return { type: 'ObservationCorrected', data }
}

const NO_ACCOUNT = 'There is no such account'
const NO_PROGRAMME = 'This account is under no programme'

/** Why no row of this account can be recorded; null where some can. */
export function whyNoneIsRecorded({ account, stage }: ObservedAccount): string | null {
  if (!account.id || account.erased) return NO_ACCOUNT
  return stage?.ofProgramme ? null : NO_PROGRAMME
}

function refused(reason: string): RowResult {
  return { outcome: 'refused', reason }
}

/** A trade that is known, with facts that a source adds to it. */
interface ToldTrade {
  readonly number: number
  readonly from: Observation
  readonly to: Observation
}

interface ReadRows {
  readonly results: readonly RowResult[]
  /** What is new, in the order of the instants. */
  readonly added: readonly Observation[]
  readonly told: readonly ToldTrade[]
}

/** Reads one row after the other; each may repeat one before it. */
function* readRows(stage: Stage, rows: readonly Observation[], importId: ImportId | null): InTurns<ReadRows> {
  const first = stage.known.list.size + 1
  let { known } = stage
  const [ofThisImport, told] = [new Set<number>(), new Set<number>()]
  const result = (outcome: RowOutcome, reason: string | null = null): RowResult => ({ outcome, reason })
  const resultOf = (row: Observation): RowResult => {
    const wrongDay = wrongDayOf(stage, row)
    if (wrongDay !== null) return result('refused', wrongDay)
    if (!isObserved(row)) return result('refused', NOT_OBSERVED)
    const found = lookUp(known, row)
    if (found === 'conflict') return result('conflict', conflictText(row))
    if (found) {
      const { number, imports } = found.known
      if (found.to) {
        known = withCorrection(known, number, found.to)
        told.add(number)
        return result('recorded')
      }
      const isOfThisImport = importId !== null && imports.includes(importId) && number < first
      if (!isOfThisImport || ofThisImport.has(number)) return result('duplicate')
      ofThisImport.add(number)
      return result('recorded')
    }
    if (!fits(known, row)) return result('refused', INEXACT)
    known = withObservations(known, [row], importId)
    return result('recorded')
  }
  const results: RowResult[] = []
  for (const row of rows) {
    if (results.push(resultOf(row)) % ROWS_A_TURN === 0) yield
  }
  return {
    results,
    added: known.list
      .skip(first - 1)
      .toArray()
      .flatMap(({ now }) => now ?? [])
      .toSorted(compareObservations),
    told: [...told].flatMap((number) => {
      const [from, to] = [stage.known.list.get(number - 1)?.now, known.list.get(number - 1)?.now]
      return from && to ? [{ number, from, to }] : []
    }),
  }
}

const NOT_OBSERVED = 'A payout and a clock are not observed: the portal knows them itself'

/** Whether a platform shows it. The portal makes payouts and clocks of its own entries. */
function isObserved({ kind }: Observation): boolean {
  return kind !== 'payout' && kind !== 'clock'
}

const INEXACT = 'The balances of this account would move more than can be computed exactly'

/** "The `at` of a day lies in its `date`." (rules.md) */
function wrongDayOf(stage: Stage, row: Observation): string | null {
  if (row.kind !== 'day' || dateOf(rulesOfStage(stage).days.dayOf(row.at.ms)) === row.date) return null
  return `at: expected an instant of the trading day ${row.date}`
}

function conflictText(row: Observation): string {
  switch (row.kind) {
    case 'trade':
      return `The trade ${row.id} is known with other content`
    case 'day':
      return `The day ${row.date} is known with other content`
    default:
      return 'A state of this instant is known with other content'
  }
}

function recordedIn(
  stage: Stage,
  added: readonly Observation[],
  source: ObservationSource,
  importId: ImportId | null,
): ObservationEvent[] {
  const first = stage.known.list.size + 1
  return Array.from({ length: Math.ceil(added.length / MOST_IN_EVENT) }, (_, chunk) => {
    const start = chunk * MOST_IN_EVENT
    const observations = added.slice(start, start + MOST_IN_EVENT)
    return { type: 'ObservationsRecorded', data: { first: first + start, source, importId, observations } } as const
  })
}

/** In turns where the rows follow what is known: late ones have all that follows them evaluated again, so once. */
function* stageAfterRows(before: Stage, added: readonly Observation[]): InTurns<Stage> {
  const last = before.timeline.rows.last()?.observation
  const isLate = last !== undefined && added[0] !== undefined && compareObservations(last, added[0]) > 0
  const step = isLate ? Infinity : ROWS_A_TURN
  let after = before
  for (let start = 0; start < added.length; start += step) {
    after = stageAfterObservations(after, added.slice(start, start + step), null)
    yield
  }
  return after
}

/** The entries that bring the ledger to the balance of the engine: transfers by their kind, all else is trading. */
function ledgerEntries(
  { account: { balance } }: ObservedAccount,
  added: readonly Observation[],
  after: Stage,
): BalanceChanged[] {
  if (added.length === 0) return []
  return entries(balance, balanceOfStage(after), transfersIn(added))
}

type Transfers = ReadonlyMap<TypedKind, number>

function entries(from: Cents, to: Cents, transfers: Transfers): BalanceChanged[] {
  let moved = from
  const book = (kind: TypedKind, amount: number): BalanceChanged[] => {
    const entry = { from: moved, to: toCents(moved + amount), kind }
    moved = entry.to
    return amount === 0 ? [] : [{ type: 'BalanceChanged', data: entry }]
  }
  const transferred = [...transfers].flatMap(([kind, amount]) => book(kind, amount))
  return [...transferred, ...book('trade-result', to - moved)]
}

function transfersIn(observations: readonly Observation[], sign: 1 | -1 = 1): Map<TypedKind, number> {
  const sums = new Map<TypedKind, number>()
  for (const one of observations)
    if (one.kind === 'transfer') sums.set(kindOf(one.why), (sums.get(kindOf(one.why)) ?? 0) + sign * one.amount)
  return sums
}

/** The kind of entry that the reason of a transfer names; a correction where it is another text. */
function kindOf(why: string): TypedKind {
  return typedKinds.find((kind) => kind !== 'trade-result' && kind === why) ?? 'correction'
}

/**
 * Replaces an observation, or takes it away with null. The engine gets the latest; what it said before stays known, so
 * that a repetition of it is no news.
 *
 * @throws {Refused} not-found; conflict, for content that another observation has
 */
export function correctObservation(
  state: ObservedAccount,
  number: number,
  to: Observation | null,
  reason: string,
): ObservingEvent[] {
  const { account, stage } = state
  if (!account.id || account.erased) throw accountNotFound()
  const known = stage?.known.list.get(number - 1)
  if (!stage || !known) throw new Refused('not-found', 'Observation not found')
  const { now: from } = known
  if (from === to || (from && to && contentOf(from) === contentOf(to))) return []
  if (to) assertReplaceable(stage, number, to)
  const after = stageAfterCorrection(stage, number, to)
  const transfers = transfersIn(from ? [from] : [], -1)
  for (const [kind, amount] of transfersIn(to ? [to] : [])) transfers.set(kind, (transfers.get(kind) ?? 0) + amount)
  return [
    { type: 'ObservationCorrected', data: { observation: number, from, to, reason } },
    ...entries(account.balance, balanceOfStage(after), transfers),
  ]
}

function assertReplaceable(stage: Stage, number: number, to: Observation): void {
  const wrongDay = wrongDayOf(stage, to)
  if (wrongDay !== null) throw new Refused('invalid', wrongDay, 'observation')
  if (!isObserved(to)) throw new Refused('invalid', NOT_OBSERVED, 'observation')
  if (isTaken(stage.known, to, number)) throw new Refused('conflict', conflictText(to), 'observation')
  if (!fits(stage.known, to)) throw new Refused('conflict', INEXACT, 'observation')
}

/** The balance that staff typed, as a state of this moment: "equity = balance, nothing open". */
export function recordTypedBalance(state: ObservedAccount, typed: Cents, now: number): readonly ObservingEvent[] {
  const { account, stage } = state
  if (!stage || typed === account.balance) return []
  const at = momentAfter(stage, now)
  const row: Observation = { at, kind: 'state', balance: typed, equity: typed, open: false, quality: 'reported' }
  const { events, results } = recordObservations(state, [row], 'staff')
  for (const { reason } of results) if (reason !== null) throw new Refused('conflict', reason, 'balance')
  return events
}
