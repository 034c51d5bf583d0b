import type { AccountHistory } from '#services/modules/accounts/account-api.ts'
import { beginningOfDay, DAY } from './room-left.ts'
import { type Step, tradingSteps, type PaidOut } from './trading-results.ts'

/** The balance curve and the figures derived from it. Whole cents; times in ms. */

export const ranges = [
  { value: '7d', label: '7 days', days: 7 },
  { value: '30d', label: '30 days', days: 30 },
  { value: '90d', label: '90 days', days: 90 },
  { value: 'all', label: 'All', days: Infinity },
] as const

export type Range = (typeof ranges)[number]['value']

export interface CurveMarker {
  readonly at: number
  readonly number: number
  readonly type: string
  readonly label: string
  readonly why: string | null
}

export interface Curve {
  readonly points: readonly Step[]
  readonly markers: readonly CurveMarker[]
}

/**
 * The balance from the account's first money, or from the start of the range, until now; undefined before the first
 * money. The curve spans the whole range: a balance holds until it changes.
 */
export function curveOf(
  history: Pick<AccountHistory, 'points' | 'markers'>,
  paidOut: readonly PaidOut[],
  range: Range,
  now: number,
): Curve | undefined {
  const funded = tradingSteps(history, paidOut)
  const [first] = funded
  const last = funded.at(-1)
  if (!first || !last) return undefined
  const days = ranges.find(({ value }) => value === range)?.days ?? Infinity
  const from = Math.max(first.at, now - days * DAY)
  const before = funded.findLast(({ at }) => at <= from) ?? first
  const within = funded.filter(({ at }) => at > from)
  return {
    points: [
      { at: from, balance: before.balance, result: 0 },
      ...within,
      { at: Math.max(now, last.at), balance: last.balance, result: 0 },
    ],
    markers: history.markers.flatMap(({ at, number, type, label, why }) =>
      Date.parse(at) >= from ? [{ at: Date.parse(at), number, type, label, why }] : [],
    ),
  }
}

/** A value in cents that holds from a moment on. */
export interface Value {
  readonly at: number
  readonly cents: number
}

/** The balance at each point. */
export function balancesOf({ points }: Curve): readonly Value[] {
  return points.map(({ at, balance }) => ({ at, cents: balance }))
}

/**
 * What was traded since the curve's first point: a payout and a balance set for a new phase do not move it. It ends at
 * the `result` of {@link figuresOf}.
 */
export function tradedOf({ points }: Curve): readonly Value[] {
  let traded = 0
  return points.map(({ at, result }) => ({ at, cents: (traded += result) }))
}

/** Whether anything but trading moved the balance after the curve's first point: a payout, or a new phase. */
export function movedBesidesTrading({ points }: Curve): boolean {
  return points.some(({ balance, result }, index) => index > 0 && balance - result !== points[index - 1]?.balance)
}

export interface Day {
  /** Midnight UTC. */
  readonly day: number
  readonly closing: number
  /** Trading profit or loss. */
  readonly result: number
}

/** Each day (UTC) on which the balance changed, and the first one, oldest first. */
export function daysOf({ points }: Curve): readonly Day[] {
  const days = new Map<number, Day>()
  let before: number | undefined
  for (const { at, balance, result } of points) {
    const day = beginningOfDay(at)
    const known = days.get(day)
    if (known || balance !== before) days.set(day, { day, closing: balance, result: (known?.result ?? 0) + result })
    before = balance
  }
  return [...days.values()]
}

export interface Figures {
  readonly result: number
  readonly best: Day | undefined
  readonly worst: Day | undefined
  readonly winningDays: number
  readonly losingDays: number
  /** The largest drop from a peak. */
  readonly deepestFall: number
}

/** Trading results of a curve, without payouts and without balances set for a new phase. */
export function figuresOf(curve: Curve): Figures {
  const days = daysOf(curve)
  const winning = days.filter(({ result }) => result > 0).sort((a, b) => b.result - a.result)
  const losing = days.filter(({ result }) => result < 0).sort((a, b) => a.result - b.result)
  let [traded, peak, deepestFall] = [0, 0, 0]
  for (const { result } of curve.points) {
    traded += result
    peak = Math.max(peak, traded)
    deepestFall = Math.max(deepestFall, peak - traded)
  }
  return {
    result: traded,
    best: winning[0],
    worst: losing[0],
    winningDays: winning.length,
    losingDays: losing.length,
    deepestFall,
  }
}
