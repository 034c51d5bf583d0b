import type { AccountHistory } from '#services/modules/accounts/account-api.ts'
import { type Period, periods } from '#services/modules/accounts/account-vocabulary.ts'
import type { TradingDay, TradingFigures } from '#services/modules/accounts/standing-api.ts'
import { centsOf } from '@/format/money.ts'

/** The balance curve as the chart draws it: whole cents, times in ms. Its figures are the server's. */

/** A day in ms. */
export const DAY = 86_400_000

export type Range = Period

export const ranges = [
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: 'all', label: 'All' },
] as const satisfies readonly { readonly value: Range; readonly label: string }[]

export interface CurvePoint {
  readonly at: number
  readonly balance: number
  /** What was traded since the account began. */
  readonly traded: number
}

export interface CurveMarker {
  readonly at: number
  readonly number: number
  readonly type: string
  readonly label: string
  readonly why: string | null
}

export interface Curve {
  readonly points: readonly CurvePoint[]
  readonly markers: readonly CurveMarker[]
  /** The days on which the balance changed. */
  readonly days: readonly TradingDay[]
  readonly figures: TradingFigures
}

/**
 * The balance from the account's first money, or from the start of the range, until now; undefined before the first
 * money. The curve spans the whole range: a balance holds until it changes.
 */
export function curveOf(history: AccountHistory, range: Range, now: number): Curve | undefined {
  const known = history.points.flatMap(({ at, balance, traded }) =>
    Number.isNaN(Date.parse(at)) || !isAmount(balance)
      ? []
      : [{ at: Date.parse(at), balance: centsOf(balance), traded: centsOf(traded) }],
  )
  const funded = known.slice(
    Math.max(
      0,
      known.findIndex(({ balance }) => balance !== 0),
    ),
  )
  const [first] = funded
  const last = funded.at(-1)
  if (!first || !last || known.every(({ balance }) => balance === 0)) return undefined
  const days = periods[range] ?? Infinity
  const from = Math.max(first.at, now - days * DAY)
  const before = funded.findLast(({ at }) => at <= from) ?? first
  const within = funded.filter(({ at }) => at > from)
  return {
    points: [{ ...before, at: from }, ...within, { ...last, at: Math.max(now, last.at) }],
    markers: history.markers.flatMap(({ at, number, type, label, why }) =>
      Date.parse(at) >= from ? [{ at: Date.parse(at), number, type, label, why }] : [],
    ),
    days: history.days.filter(({ date }) => Date.parse(date) > from - DAY),
    figures: history.periods[range],
  }
}

/** Whether a text is an amount: an odd one draws nothing. */
function isAmount(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text)
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

/** What was traded since the curve's first point: a payout and a balance set for a new phase do not move it. */
export function tradedOf({ points }: Curve): readonly Value[] {
  const before = points[0]?.traded ?? 0
  return points.map(({ at, traded }) => ({ at, cents: traded - before }))
}

/** Whether anything but trading moved the balance after the curve's first point: a payout, or a new phase. */
export function movedBesidesTrading({ points }: Curve): boolean {
  const [first] = points
  return points.some(({ balance, traded }) => first && balance - traded !== first.balance - first.traded)
}
