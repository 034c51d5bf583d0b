import type { BalanceChangeDocument } from '../balance-read-model.ts'
import { resultOf, type Step } from '#services/trading/stream/trading-results.ts'

/** The balance of an account over time. */

export interface Point {
  readonly at: number
  readonly number: number
  /** Cents. */
  readonly balance: number
  readonly profitLoss: number
}

/** Above this many points, neighbouring points are merged until about half remain. */
export const MAX_POINTS = 3_000

/** The balance after each change, given in order: a curve of bounded length, however many there are. */
export function balanceCurve(changes: readonly Pick<BalanceChangeDocument, keyof Point>[]): readonly Point[] {
  let points: Point[] = []
  for (const { at, number, balance, profitLoss } of changes) {
    const last = points.at(-1)
    // Balance and profit set by one change are one point.
    if (last?.at === at) points.pop()
    points.push({ at, number, balance: balance ?? last?.balance ?? 0, profitLoss: profitLoss ?? last?.profitLoss ?? 0 })
    if (points.length > MAX_POINTS) points = mergePoints(points)
  }
  return points
}

/** Keeps the lowest, highest and last point of each interval, so that no dip is lost. */
function mergePoints(points: readonly Point[]): Point[] {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return []
  // Three points per interval, and half the maximum overall.
  const stretch = Math.max(1, (last.at - first.at) / (MAX_POINTS / 6))
  const kept: Point[] = []
  let within: Point[] = []
  let number = 0
  const close = () => {
    const [start] = within
    if (!start) return
    const lowest = within.reduce((low, point) => (point.balance < low.balance ? point : low), start)
    const highest = within.reduce((high, point) => (point.balance > high.balance ? point : high), start)
    const telling = new Set([lowest, highest, within.at(-1)])
    kept.push(...within.filter((point) => telling.has(point)))
    within = []
  }
  for (const point of points) {
    const belongs = Math.floor((point.at - first.at) / stretch)
    if (belongs !== number) close()
    number = belongs
    within.push(point)
  }
  close()
  return kept
}

/** A chart of a period draws this besides the points of the account. Whole cents. */
export interface PeriodCurve {
  readonly from: number
  readonly balance: number
  /** The index of the first point after the beginning. */
  readonly index: number
  readonly traded: readonly number[]
  readonly movedOtherwise: boolean
}

/** A point, and what was traded until then since the account began. */
export interface TradedPoint extends Point {
  readonly traded: number
}

/**
 * The curve of a period: from its start, or from the account's first money where that is later. Undefined before the
 * first money.
 *
 * @param points The thinned curve of the account.
 * @param steps All entries of its ledger, from which the values at the start follow.
 */
export function periodCurve(
  points: readonly TradedPoint[],
  steps: readonly Step[],
  start: number,
): PeriodCurve | undefined {
  const first = points.find(({ balance }) => balance !== 0)
  if (!first) return undefined
  const from = Math.max(first.at, start)
  const [before, since] = [steps.filter(({ at }) => at <= from), steps.filter(({ at }) => at > from)]
  const base = before.reduce((sum, step) => sum + resultOf(step), 0)
  // Where a clock was set back, a point may be older than the one before it.
  const index = points.findLastIndex(({ at }) => at <= from) + 1
  return {
    from,
    balance: before.at(-1)?.balance ?? first.balance,
    index,
    traded: points.slice(index).map(({ traded }) => traded - base),
    movedOtherwise: since.some(({ kind }) => kind !== 'trade-result'),
  }
}
