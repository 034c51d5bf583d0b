import { exchanged } from '#services/rules/exchange-rate.ts'
import type { Payout } from '#services/trading/stream/payout.ts'

/** The totals of the payouts that staff select. Whole cents. */
export interface PayoutTotals {
  readonly count: number
  readonly amount: number
  /** The traders' shares of those that are approved. */
  readonly traderReceives: number
  /** The same at the rate, each payment rounded down as in the file of a batch; null without a rate. */
  readonly euro: number | null
}

/** @param rate Euro for one dollar. */
export function payoutTotals(
  payouts: readonly Pick<Payout, 'amount' | 'shares'>[],
  rate: string | undefined,
): PayoutTotals {
  const payments = payouts.flatMap(({ shares }) => (shares ? [shares.trader] : []))
  return {
    count: payouts.length,
    amount: sum(payouts.map(({ amount }) => amount)),
    traderReceives: sum(payments),
    euro: rate === undefined ? null : sum(payments.map((payment) => exchanged(payment, rate))),
  }
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
