import type { BalanceChangeDocument } from '../balance-read-model.ts'

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
