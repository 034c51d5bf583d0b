import type { AccountHistory } from '#services/trading/accounts/account-api.ts'
import type { Period } from '#services/trading/stream/account-vocabulary.ts'
import type { TradingDay, TradingFigures } from '#services/trading/accounts/standing-api.ts'
import { centsOf } from '@/format/money.ts'

/** The balance curve as the chart draws it: whole cents, times in ms. Its values and figures are the server's. */

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
  /** The trading result since the curve's first point: a payout and a balance set for a new phase do not move it. */
  readonly traded: number
}

export interface CurveMarker {
  readonly at: number
  readonly number: number
  readonly type: string
  readonly label: string
  /** The amount of a payout; null for anything else. */
  readonly amount: string | null
  /** The new status or phase; null for anything else. */
  readonly to: string | null
  /** The number of the mistaken breach that it corrects. */
  readonly corrects: number | null
  readonly why: string | null
}

export interface Curve {
  readonly points: readonly CurvePoint[]
  /** Whether anything but trading moved the balance after the first point: a payout, or a new phase. */
  readonly movedOtherwise: boolean
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
  const figures = history.periods[range]
  const from = Date.parse(figures.curve?.from ?? '')
  if (!figures.curve || Number.isNaN(from) || !history.points.some(isKnown)) return undefined
  const { balance, index, traded, movedOtherwise } = figures.curve
  const within = history.points.slice(index).flatMap((point, place) => {
    const result = traded[place] ?? ''
    return isKnown(point) && isAmount(result)
      ? [{ at: Date.parse(point.at), balance: centsOf(point.balance), traded: centsOf(result) }]
      : []
  })
  const first = { at: from, balance: centsOf(balance), traded: 0 }
  const last = within.at(-1) ?? first
  return {
    points: [first, ...within, { ...last, at: Math.max(now, last.at) }],
    movedOtherwise,
    // A breach stands where it happened; it may be decided weeks later.
    markers: history.markers.flatMap(({ at, ...marker }) => {
      const when = Date.parse(marker.occurredAt ?? at)
      return when >= from ? [{ ...marker, at: when }] : []
    }),
    days: history.days.filter(({ date }) => Date.parse(date) > from - DAY),
    figures,
  }
}

/** Whether time and balance of a point are such: an odd one draws nothing. */
function isKnown({ at, balance }: AccountHistory['points'][number]): boolean {
  return !Number.isNaN(Date.parse(at)) && isAmount(balance)
}

/** Whether a text is an amount. */
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

/** Returns the trading result at each point, since the first. */
export function tradedOf({ points }: Curve): readonly Value[] {
  return points.map(({ at, traded }) => ({ at, cents: traded }))
}
