/** What an account traded, apart from everything else that moves its balance. Whole cents; times in ms, days in UTC. */

const DAY = 86_400_000

/** A change of the balance, or the beginning of a phase, in the order of the log. */
export interface BalanceChange {
  readonly at: number
  readonly number: number
  /** Null where it stayed as it was. */
  readonly balance: number | null
  readonly beginsPhase: boolean
}

/** An approval of a payout, and when it was taken back. */
export interface Booking {
  readonly amount: number
  readonly at: number
  readonly reversedAt: number | null
}

/** A change of the balance since the account's first money. */
export interface Step {
  readonly at: number
  readonly number: number
  readonly balance: number
  readonly change: number
  /** Only trading is a profit or a loss. */
  readonly cause: 'trading' | 'first-money' | 'phase' | 'payout' | 'reversal'
}

/**
 * Each change of the balance with its cause. A fall by just the amount of a payout, at or after its approval, is that
 * payout; a rise by it after the approval was taken back is the reversal. A balance set together with a new phase and
 * the first money are no results either.
 */
export function balanceSteps(changes: readonly BalanceChange[], bookings: readonly Booking[]): readonly Step[] {
  const phases = new Set(changes.flatMap(({ at, beginsPhase }) => (beginsPhase ? at : [])))
  const unpaid = bookings.toSorted((one, other) => one.at - other.at)
  const paid: Booking[] = []
  const steps: Step[] = []
  let before = 0
  for (const { at, number, balance } of changes) {
    if (balance === null || (before === 0 && balance === 0)) continue
    const change = balance - before
    const payout = take(unpaid, (one) => one.amount === -change && one.at <= at && (one.reversedAt ?? Infinity) > at)
    if (payout) paid.push(payout)
    const reversal = payout ?? take(paid, (one) => one.amount === change && (one.reversedAt ?? Infinity) <= at)
    const moved = payout ? 'payout' : reversal ? 'reversal' : 'trading'
    const cause = before === 0 ? 'first-money' : phases.has(at) ? 'phase' : moved
    steps.push({ at, number, balance, change, cause })
    before = balance
  }
  return steps
}

/** Takes the first that fits out of a list. */
function take<Item>(list: Item[], fits: (item: Item) => boolean): Item | undefined {
  const index = list.findIndex(fits)
  return index === -1 ? undefined : list.splice(index, 1)[0]
}

/** The trading profit or loss of a change. */
export function resultOf({ change, cause }: Pick<Step, 'change' | 'cause'>): number {
  return cause === 'trading' ? change : 0
}

/** The steps of the present phase: from the balance set together with the newest phase, else from the first money. */
export function stepsOfPhase(steps: readonly Step[]): readonly Step[] {
  const phase = steps.findLastIndex(({ cause, balance }) => cause === 'phase' && balance > 0)
  return steps.slice(
    phase === -1
      ? Math.max(
          0,
          steps.findIndex(({ balance }) => balance > 0),
        )
      : phase,
  )
}

export interface DayResult {
  /** As its number since 1970-01-01. */
  readonly day: number
  readonly closing: number
  readonly result: number
}

/** Each day on which the balance changed, oldest first. */
export function daysOf(steps: readonly Step[]): readonly DayResult[] {
  const days = new Map<number, DayResult>()
  for (const step of steps) {
    const day = Math.floor(step.at / DAY)
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
export function figuresSince(steps: readonly Step[], from: number): TradingFigures {
  const since = steps.filter(({ at }) => at > from)
  const days = daysOf(since)
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
