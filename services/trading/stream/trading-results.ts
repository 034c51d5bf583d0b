import type { EntryKind } from './ledger-vocabulary.ts'

/**
 * The trading results of an account, apart from everything else that moves its balance. Whole cents; times in ms, days
 * in UTC.
 */

const DAY = 86_400_000

/** A change of the balance, or the beginning of a phase, in the order of the log. */
export interface BalanceChange {
  readonly at: number
  readonly number: number
  /** Null where it stayed as it was. */
  readonly balance: number | null
  /** The entry that moved it; null where none did. */
  readonly entry: { readonly kind: EntryKind; readonly amount: number } | null
  readonly beginsPhase: boolean
  /** The recorded profit or loss after it; absent or null where it stayed as it was. */
  readonly profitLoss?: number | null
}

/** An entry of the ledger. */
export interface Step {
  readonly at: number
  readonly number: number
  readonly balance: number
  readonly change: number
  /** Only a trade result is a profit or a loss. */
  readonly kind: EntryKind
  /** The balance was set together with a new phase. */
  readonly beginsPhase: boolean
}

/** The entries among the changes. */
export function balanceSteps(changes: readonly BalanceChange[]): readonly Step[] {
  const phases = new Set(changes.flatMap(({ at, beginsPhase }) => (beginsPhase ? at : [])))
  return changes.flatMap(({ at, number, balance, entry }) =>
    entry && balance !== null
      ? [{ at, number, balance, change: entry.amount, kind: entry.kind, beginsPhase: phases.has(at) }]
      : [],
  )
}

/** The trading profit or loss of a change. */
export function resultOf({ change, kind }: Pick<Step, 'change' | 'kind'>): number {
  return kind === 'trade-result' ? change : 0
}

/** The steps of the present phase: from the balance set together with the newest phase, else from the first money. */
export function stepsOfPhase(steps: readonly Step[]): readonly Step[] {
  const phase = steps.findLastIndex(({ beginsPhase, balance }) => beginsPhase && balance > 0)
  return steps.slice(
    phase === -1
      ? Math.max(
          0,
          steps.findIndex(({ balance }) => balance > 0),
        )
      : phase,
  )
}

/**
 * The profit that was recorded together with the first balance of a phase: it was made before, so the phase began with
 * so much less.
 */
export function recordedWith(changes: readonly BalanceChange[], { at, balance }: Pick<Step, 'at' | 'balance'>): number {
  const profit =
    changes.findLast((change) => change.at === at && typeof change.profitLoss === 'number')?.profitLoss ?? 0
  return profit < balance ? profit : 0
}

export interface DayResult {
  /** As its number since 1970-01-01. */
  readonly day: number
  readonly closing: number
  readonly result: number
}

/** Days in UTC, from midnight to midnight. */
export function dayInUtc(at: number): number {
  return Math.floor(at / DAY)
}

/** Each day on which the balance changed, oldest first. */
export function daysOf(steps: readonly Step[], dayOf = dayInUtc): readonly DayResult[] {
  const days = new Map<number, DayResult>()
  for (const step of steps) {
    const day = dayOf(step.at)
    days.set(day, { day, closing: step.balance, result: (days.get(day)?.result ?? 0) + resultOf(step) })
  }
  return [...days.values()]
}

export interface TradingFigures {
  readonly result: number
  readonly best: DayResult | null
  readonly worst: DayResult | null
  readonly winningDays: number
  readonly losingDays: number
  /** The deepest fall of what was traded, from a peak. */
  readonly deepestFall: number
}

/** The figures of what was traded after a moment. */
export function figuresSince(steps: readonly Step[], from: number, dayOf = dayInUtc): TradingFigures {
  const since = steps.filter(({ at }) => at > from)
  const days = daysOf(since, dayOf)
  const winning = days.filter(({ result }) => result > 0).toSorted((one, other) => other.result - one.result)
  const losing = days.filter(({ result }) => result < 0).toSorted((one, other) => one.result - other.result)
  let [traded, peak, deepestFall] = [0, 0, 0]
  for (const step of since) {
    traded += resultOf(step)
    peak = Math.max(peak, traded)
    deepestFall = Math.max(deepestFall, peak - traded)
  }
  return {
    result: traded,
    best: winning[0] ?? null,
    worst: losing[0] ?? null,
    winningDays: winning.length,
    losingDays: losing.length,
    deepestFall,
  }
}
