import type { AccountHistory } from '../../../../services/contract/performance.ts'
import { beginningOfDay, centsOf } from './room-left.ts'

/** The curve of a balance and what can be read from it. Whole cents; times in ms. */

export const ranges = [
  { value: '7d', label: '7 days', days: 7 },
  { value: '30d', label: '30 days', days: 30 },
  { value: '90d', label: '90 days', days: 90 },
  { value: 'all', label: 'All', days: Infinity },
] as const

export type Range = (typeof ranges)[number]['value']

export interface CurvePoint {
  readonly at: number
  readonly balance: number
}

export interface CurveMarker {
  readonly at: number
  readonly number: number
  readonly label: string
  readonly why: string | null
}

export interface Curve {
  readonly points: readonly CurvePoint[]
  readonly markers: readonly CurveMarker[]
}

const DAY = 86_400_000

/**
 * The balance from the account's first money, or from the beginning of the range, until now; undefined while there never
 * was any money. The curve begins and ends at the edges of the range: a balance stays what it is until it changes.
 */
export function curveOf({ points, markers }: Pick<AccountHistory, 'points' | 'markers'>, range: Range, now: number): Curve | undefined {
  const all = points.map(({ at, balance }) => ({ at: Date.parse(at), balance: centsOf(balance) }))
  const begins = all.findIndex(({ balance }) => balance !== 0)
  const funded = begins === -1 ? [] : all.slice(begins)
  const [first] = funded
  const last = funded.at(-1)
  if (!first || !last) return undefined
  const days = ranges.find(({ value }) => value === range)?.days ?? Infinity
  const from = Math.max(first.at, now - days * DAY)
  const before = funded.findLast(({ at }) => at <= from) ?? first
  const within = funded.filter(({ at }) => at > from)
  return {
    points: [{ at: from, balance: before.balance }, ...within, { at: Math.max(now, last.at), balance: last.balance }],
    markers: markers.flatMap(({ at, number, label, why }) => (Date.parse(at) >= from ? [{ at: Date.parse(at), number, label, why }] : [])),
  }
}

export interface Day {
  /** Midnight UTC. */
  readonly day: number
  readonly closing: number
  /** Against the day before. */
  readonly result: number
}

/** The closing balance of each day (UTC) on which the balance changed, oldest first. */
export function daysOf({ points }: Curve): readonly Day[] {
  const [first] = points
  const closings = new Map<number, number>()
  for (const { at, balance } of points) closings.set(beginningOfDay(at), balance)
  let before = first?.balance ?? 0
  return [...closings].flatMap(([day, closing]) => {
    const result = closing - before
    before = closing
    return result === 0 && day !== beginningOfDay(first?.at ?? 0) ? [] : [{ day, closing, result }]
  })
}

export interface Figures {
  readonly result: number
  readonly best: Day | undefined
  readonly worst: Day | undefined
  readonly winningDays: number
  readonly losingDays: number
  /** The deepest fall from a height to what came after it. */
  readonly deepestFall: number
}

/** What traders ask of a curve. */
export function figuresOf(curve: Curve): Figures {
  const days = daysOf(curve)
  const winning = days.filter(({ result }) => result > 0)
  const losing = days.filter(({ result }) => result < 0)
  let [peak, deepestFall] = [-Infinity, 0]
  for (const { balance } of curve.points) {
    peak = Math.max(peak, balance)
    deepestFall = Math.max(deepestFall, peak - balance)
  }
  return {
    result: (curve.points.at(-1)?.balance ?? 0) - (curve.points[0]?.balance ?? 0),
    best: winning.reduce<Day | undefined>((best, day) => (best && best.result >= day.result ? best : day), undefined),
    worst: losing.reduce<Day | undefined>((worst, day) => (worst && worst.result <= day.result ? worst : day), undefined),
    winningDays: winning.length,
    losingDays: losing.length,
    deepestFall,
  }
}
