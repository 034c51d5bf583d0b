import type { AccountHistory } from '../../../../services/api/performance-schemas.ts'
import { beginningOfDay, centsOf } from './room-left.ts'

/** What was won and lost by trading, told apart from money that came or went for another reason. Whole cents; times in ms. */

/** An approved payout. */
export interface PaidOut {
  readonly at: number
  readonly cents: number
}

export interface Step {
  readonly at: number
  readonly balance: number
  /** Won or lost by trading. */
  readonly result: number
}

/**
 * Each change of the balance from the account's first money on, with what of it is a result of trading. None is: the
 * first money; what was set together with a new phase, where an account begins anew; and a fall by just the amount of a
 * payout that was approved before.
 */
export function tradingSteps({ points, markers }: Pick<AccountHistory, 'points' | 'markers'>, paidOut: readonly PaidOut[]): readonly Step[] {
  const phases = new Set(markers.filter(({ type }) => type === 'PhaseChanged').map((marker) => Date.parse(marker.at)))
  const unpaid = [...paidOut]
  let before = 0
  return points
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

/** What was lost by trading since the day began (UTC), below zero for a gain. */
export function lossOfDay(steps: readonly Step[], now: number): number {
  const began = beginningOfDay(now)
  const lost = steps.filter(({ at }) => at >= began).reduce((sum, { result }) => sum - result, 0)
  // Never -0, which is written with a minus sign.
  return lost || 0
}
