import type { AccountHistory } from '#services/modules/accounts/account-api.ts'
import { beginningOfDay, centsOf, isAmount } from './room-left.ts'

/** Trading profit and loss, separated from other changes of the balance. Whole cents; times in ms. */

/** An approved payout. */
export interface PaidOut {
  readonly at: number
  readonly cents: number
}

/** The approved ones of a list of payouts. */
export function paidOutOf(
  payouts: readonly { readonly status: string; readonly decidedAt: string | null; readonly amount: string }[],
): PaidOut[] {
  return payouts.flatMap(({ status, decidedAt, amount }) =>
    status === 'approved' && decidedAt !== null ? [{ at: Date.parse(decidedAt), cents: centsOf(amount) }] : [],
  )
}

export interface Step {
  readonly at: number
  readonly balance: number
  /** Trading profit or loss. */
  readonly result: number
}

/**
 * Each change of the balance since the account's first money, with its trading result. Three changes have none: the
 * first money, a balance set together with a new phase, and a drop by exactly the amount of an approved payout. A point
 * without a valid balance or time is left out: nothing is known of it.
 */
export function tradingSteps(
  { points, markers }: Pick<AccountHistory, 'points' | 'markers'>,
  paidOut: readonly PaidOut[],
): readonly Step[] {
  const phases = new Set(markers.filter(({ type }) => type === 'PhaseChanged').map((marker) => Date.parse(marker.at)))
  const unpaid = [...paidOut]
  let before = 0
  return points
    .filter((point) => isAmount(point.balance) && !Number.isNaN(Date.parse(point.at)))
    .map((point) => ({ at: Date.parse(point.at), balance: centsOf(point.balance) }))
    .flatMap(({ at, balance }): Step[] => {
      const change = balance - before
      const isFirstMoney = before === 0
      before = balance
      if (isFirstMoney && balance === 0) return []
      const payout = unpaid.findIndex(({ at: approvedAt, cents }) => cents === -change && approvedAt <= at)
      if (payout !== -1) unpaid.splice(payout, 1)
      return [{ at, balance, result: isFirstMoney || phases.has(at) || payout !== -1 ? 0 : change }]
    })
}

/** The trading loss since the start of the day (UTC), negative for a gain. */
export function lossOfDay(steps: readonly Step[], now: number): number {
  const began = beginningOfDay(now)
  const lost = steps.filter(({ at }) => at >= began).reduce((sum, { result }) => sum - result, 0)
  // Avoids -0, which would be formatted with a minus sign.
  return lost || 0
}
