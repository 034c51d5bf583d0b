import { expect, it } from 'vitest'
import { toCents } from '#services/rules/money.ts'
import { payoutSums, type SummedPayout } from './payout-summary.ts'

const request = (amount: number, status: SummedPayout['status']): SummedPayout => ({
  amount,
  status,
  shares: null,
  payment: null,
})

type PaymentState = NonNullable<SummedPayout['payment']>['state']

/** An approved payout of which the trader gets 80 %. */
const approved = (amount: number, state: PaymentState, at = 1): SummedPayout => ({
  amount,
  status: 'approved',
  shares: { trader: toCents(amount * 0.8) },
  payment: { state, at },
})

it('sums what waits, what is owed and what was paid, and names the payment that came last', () => {
  const sums = payoutSums(600_000, [
    request(300, 'rejected'),
    approved(40_000, 'paid', 9),
    request(20_000, 'pending'),
    approved(10_000, 'paid', 5),
    approved(5_000, 'cancelled'),
    ...(['open', 'in-batch', 'sent', 'failed', 'returned'] as const).map((state) => approved(1_000, state)),
  ])
  expect(sums).toEqual({
    open: { count: 1, total: 20_000 },
    toBePaid: { count: 5, total: 4_000 },
    paid: { count: 2, total: 40_000 },
    lastPaid: { amount: 32_000, at: 9 },
    covered: 600_000 - 60_000 - 20_000,
  })
})

it.each([
  ['no profit', 0, 0],
  ['a loss', -5_000, 0],
  ['less profit than is asked for', 10_000, 0],
  ['as much', 20_000, 0],
  ['more', 20_001, 1],
])('covers what is left beside open requests of $200, with %s', (_what, profit, covered) => {
  expect(payoutSums(profit, [request(20_000, 'pending')]).covered).toBe(covered)
})

it('is empty without payouts', () => {
  const none = { count: 0, total: 0 }
  expect(payoutSums(100, [])).toEqual({ open: none, toBePaid: none, paid: none, lastPaid: undefined, covered: 100 })
})
