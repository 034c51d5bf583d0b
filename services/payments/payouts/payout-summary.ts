import type { Cents } from '#services/rules/money.ts'
import { isUnpaid } from '#services/trading/stream/payment.ts'
import type { PayoutStatus } from '#services/trading/stream/payout.ts'
import type { PaymentState } from '#services/trading/stream/payout-vocabulary.ts'

/** The sums behind a payout request. Whole cents. */

/** A payout, as far as the sums look at it. */
export interface SummedPayout {
  readonly amount: number
  readonly status: PayoutStatus
  /** The trader's share of it; null unless it is approved. */
  readonly shares: { readonly trader: Cents } | null
  /** Null unless it is approved. */
  readonly payment: { readonly state: PaymentState; readonly at: number } | null
}

export interface Sum {
  readonly count: number
  readonly total: number
}

export interface PayoutSums {
  /** The requests that wait for a verdict. */
  readonly open: Sum
  /** The trader's shares of payouts that are approved and not paid yet. */
  readonly toBePaid: Sum
  /** The trader's shares that were paid. */
  readonly paid: Sum
  /** The last share that was paid, and when. */
  readonly lastPaid: { readonly amount: number; readonly at: number } | undefined
  /** The profit less the open requests and the approved payouts; at least 0. */
  readonly covered: number
}

/** Adds up what an account has earned, asked for and got. */
export function payoutSums(profitLoss: number, payouts: readonly SummedPayout[]): PayoutSums {
  const open = sumOf(payouts.filter(({ status }) => status === 'pending'))
  const approved = payouts.filter(({ status }) => status === 'approved')
  const received = approved.flatMap(({ amount, shares, payment }) =>
    payment?.state === 'paid' ? [{ amount: shares?.trader ?? amount, at: payment.at }] : [],
  )
  const owed = approved.filter(({ payment }) => isUnpaid(payment))
  return {
    open,
    toBePaid: sumOf(owed.map(({ amount, shares }) => ({ amount: shares?.trader ?? amount }))),
    paid: sumOf(received),
    lastPaid: received.toSorted((one, other) => other.at - one.at)[0],
    covered: Math.max(0, profitLoss - sumOf(approved).total - open.total),
  }
}

/** How many payouts these are, and what they come to. */
export function sumOf(payouts: readonly Pick<SummedPayout, 'amount'>[]): Sum {
  return { count: payouts.length, total: payouts.reduce((sum, { amount }) => sum + amount, 0) }
}
