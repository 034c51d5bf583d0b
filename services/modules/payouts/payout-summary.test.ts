import { expect, it } from 'vitest'
import { payoutSums, type SummedPayout } from './payout-summary.ts'

const payout = (amount: number, status: SummedPayout['status'], decidedAt: number | null = null): SummedPayout => ({
  amount,
  status,
  decidedAt,
})

it('sums what waits and what was paid, and names the verdict that came last', () => {
  const [last, first] = [payout(4_000, 'approved', 9), payout(1_001, 'approved', 5)]
  const sums = payoutSums(60_000, [payout(300, 'rejected', 10), last, payout(20_000, 'pending'), first])
  expect(sums).toEqual({
    open: { count: 1, total: 20_000 },
    paid: { count: 2, total: 5_001 },
    lastPaid: last,
    covered: 60_000 - 5_001 - 20_000,
  })
})

it.each([
  ['no profit', 0, 0],
  ['a loss', -5_000, 0],
  ['less profit than is asked for', 10_000, 0],
  ['as much', 20_000, 0],
  ['more', 20_001, 1],
])('covers what is left beside open requests of $200, with %s', (_what, profit, covered) => {
  expect(payoutSums(profit, [payout(20_000, 'pending')]).covered).toBe(covered)
})

it('is empty without payouts', () => {
  const none = { count: 0, total: 0 }
  expect(payoutSums(100, [])).toEqual({ open: none, paid: none, lastPaid: undefined, covered: 100 })
})
