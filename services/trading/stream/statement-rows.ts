import { Refused } from '#services/event-sourcing/refusal.ts'
import type { ImportId, PayoutId } from '#services/framework/ids.ts'
import { centsOf } from '#services/rules/money.ts'
import { contentOf, type Observation } from '#services/rules/observation.ts'
import { knownUnder, type KnownObservation, type LedgerRow } from './known-observations.ts'
import type { ObservationEvent } from './observation-events.ts'
import {
  atOnce,
  correctObservation,
  type InTurns,
  type ObservedAccount,
  type ObservingEvent,
  recordingObservations,
  type RowResult,
  whyNoneIsRecorded,
} from './observation.ts'
import type { Payouts } from './payout.ts'
import { type Stage, stageAfterCorrection } from './stage.ts'

/**
 * Rows of a statement. Its ledger rows name what the portal knows itself: the opening deposit and payouts. These are
 * passed over, once each; all others are transfers (statements.md, "Import").
 */

export interface StatementAccount extends ObservedAccount {
  readonly payouts: Payouts
}

/** The outcome of a row of a statement. */
export interface StatementRowResult {
  readonly outcome: RowResult['outcome'] | 'transfer' | 'skipped'
  readonly reason: string | null
  /** The observation that a conflict is with, where it was recorded before. */
  readonly known: KnownObservation | null
}

interface StatementRecording {
  readonly events: readonly ObservingEvent[]
  /** In the order of the rows. */
  readonly results: readonly StatementRowResult[]
}

/**
 * Records the rows of a statement that are new.
 *
 * @param importId Null for a preview, of which nothing is recorded.
 */
export function recordStatementRows(
  state: StatementAccount,
  rows: readonly Observation[],
  importId: ImportId | null,
): StatementRecording {
  return atOnce(recordingStatementRows(state, rows, importId))
}

/** {@link recordStatementRows} for many rows. */
export function* recordingStatementRows(
  state: StatementAccount,
  rows: readonly Observation[],
  importId: ImportId | null,
): InTurns<StatementRecording> {
  const { stage } = state
  const refusal = whyNoneIsRecorded(state)
  if (refusal !== null || !stage)
    return { events: [], results: rows.map(() => ({ outcome: 'refused', reason: refusal, known: null })) }
  const { matches, conflicts } = readLedger(stage, state.payouts, rows)
  const others = rows.filter((_, index) => !matches.has(index) && !conflicts.has(index))
  const recording = yield* recordingObservations(state, others, 'import', importId)
  const recorded = recording.results[Symbol.iterator]()
  const added = [...matches.values()]
    .filter(({ isNew }) => isNew)
    .map(({ observation, payout }) => ({ observation, payout }))
  const resultOf = (row: Observation, index: number): StatementRowResult => {
    const [match, conflict] = [matches.get(index), conflicts.get(index)]
    if (match) return { outcome: 'skipped', reason: matchText(match.payout), known: null }
    if (conflict !== undefined) return { outcome: 'conflict', reason: transferConflict(row), known: conflict }
    const { outcome = 'refused', reason = null } = recorded.next().value ?? {}
    if (outcome === 'conflict') return { outcome, reason, known: knownUnder(stage.known, row)?.last ?? null }
    return { outcome: outcome === 'recorded' && row.kind === 'transfer' ? 'transfer' : outcome, reason, known: null }
  }
  yield
  return {
    events: [...(added.length > 0 ? [matched(importId, added)] : []), ...recording.events],
    results: rows.map(resultOf),
  }
}

interface LedgerMatch extends LedgerRow {
  /** Whether the account's events do not say it yet. */
  readonly isNew: boolean
}

function readLedger(stage: Stage, payouts: Payouts, rows: readonly Observation[]) {
  const { known } = stage
  const matches = new Map<number, LedgerMatch>()
  const conflicts = new Map<number, StatementRowResult['known']>()
  const ledgerRows = new Map(known.ledgerRows)
  const paid = new Set([...ledgerRows.values()].map(({ payout }) => payout))
  let firstOpening = Infinity
  const see = (row: Observation | null): void => {
    if (row?.kind === 'trade') firstOpening = Math.min(firstOpening, (row.openedAt ?? row.at).ms)
  }
  for (const { now } of known.list) see(now)
  for (const row of rows) see(row)
  const size = centsOf(stage.terms.accountSize)
  const approved = [...payouts.list.values()]
    .filter(({ status }) => status === 'approved')
    .toSorted((one, other) => (one.decidedAt ?? 0) - (other.decidedAt ?? 0))
  for (const [index, row] of rows.entries()) {
    if (row.kind !== 'transfer' || row.id === undefined) continue
    const before = ledgerRows.get(row.id)
    const recorded = knownUnder(known, row)
    if (before) {
      if (contentOf(before.observation) === contentOf(row)) matches.set(index, { ...before, isNew: false })
      else conflicts.set(index, null)
    } else if (recorded) {
      if (!recorded.says(row)) conflicts.set(index, recorded.last)
    } else {
      const payout = approved.find(({ id, amount }) => amount === -row.amount && !paid.has(id))?.id ?? null
      const isOpening = row.amount === size && row.at.ms <= firstOpening && !paid.has(null)
      if (payout === null && !isOpening) continue
      const match = { observation: row, payout }
      paid.add(payout)
      ledgerRows.set(row.id, match)
      matches.set(index, { ...match, isNew: true })
    }
  }
  return { matches, conflicts }
}

function matchText(payout: PayoutId | null): string {
  return payout === null ? 'the opening deposit' : `the payout ${payout}`
}

function transferConflict(row: Observation): string {
  return `The ledger row ${row.kind === 'transfer' ? row.id : ''} is known with other content`
}

type Matched = Extract<ObservationEvent, { type: 'LedgerRowsMatched' }>

function matched(importId: ImportId | null, rows: Matched['data']['rows']): Matched {
  return { type: 'LedgerRowsMatched', data: { importId, rows } }
}

/** A row of a statement that says something else than what is known. */
interface ConflictingRow {
  readonly observation: Observation | null
  /** What was known when staff saw the conflict; null where it was not recorded yet. */
  readonly known: { readonly observation: Observation | null } | null
}

/**
 * Corrects what is known by what a statement says. Facts that the statement does not have stay.
 *
 * @throws {Refused} conflict, where something else is known by now than staff saw.
 */
export function takeNewContent(
  state: ObservedAccount,
  rows: readonly ConflictingRow[],
  reason: string,
): readonly ObservingEvent[] {
  const events: ObservingEvent[] = []
  let current = state
  for (const { observation, known: seen } of rows) {
    const { stage } = current
    const known = stage && observation ? knownUnder(stage.known, observation)?.last : undefined
    if (!stage || !observation || !known) throw new Refused('conflict', 'Nothing is known that this row contradicts')
    const to = withKnownFacts(known.now, observation)
    const isChanged =
      seen && contentIn(seen.observation) !== contentIn(known.now) && contentOf(to) !== contentIn(known.now)
    if (isChanged) throw new Refused('conflict', 'What is known was changed meanwhile. Please import the file again.')
    const some = correctObservation(current, known.number, to, reason)
    if (some.length === 0) continue
    events.push(...some)
    const balance = some.flatMap((event) => (event.type === 'BalanceChanged' ? [event.data.to] : [])).at(-1)
    current = {
      account: { ...current.account, balance: balance ?? current.account.balance },
      stage: stageAfterCorrection(stage, known.number, to),
    }
  }
  return events
}

function contentIn(observation: Observation | null): string | null {
  return observation && contentOf(observation)
}

/** A trade with the facts of the known one that it does not state. */
function withKnownFacts(known: Observation | null, told: Observation): Observation {
  return known?.kind === 'trade' && told.kind === 'trade' ? { ...known, ...told } : told
}
