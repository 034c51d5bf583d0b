import type { PayoutStatus } from './payout.ts'

/** The sums behind a payout request. Whole cents. */

/** A payout, as far as the sums look at it. */
export interface SummedPayout {
  readonly amount: number
  readonly status: PayoutStatus
  readonly decidedAt: number | null
}

export interface Sum {
  readonly count: number
  readonly total: number
}

export interface PayoutSums {
  /** The requests that wait for a verdict. */
  readonly open: Sum
  readonly paid: Sum
  /** The payout that was approved last. */
  readonly lastPaid: SummedPayout | undefined
  /** What the profit covers beside the open requests and what was approved; 0 where that is nothing. */
  readonly covered: number
}

/** What an account has earned, asked for and got. */
export function payoutSums(profitLoss: number, payouts: readonly SummedPayout[]): PayoutSums {
  const open = sumOf(payouts.filter(({ status }) => status === 'pending'))
  const approved = payouts.filter(({ status }) => status === 'approved')
  const paid = sumOf(approved)
  const [lastPaid] = approved.toSorted((one, other) => (other.decidedAt ?? 0) - (one.decidedAt ?? 0))
  return { open, paid, lastPaid, covered: Math.max(0, profitLoss - paid.total - open.total) }
}

/** How many payouts these are, and what they come to. */
export function sumOf(payouts: readonly Pick<SummedPayout, 'amount'>[]): Sum {
  return { count: payouts.length, total: payouts.reduce((sum, { amount }) => sum + amount, 0) }
}
