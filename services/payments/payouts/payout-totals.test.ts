import { expect, it } from 'vitest'
import { toCents } from '#services/rules/money.ts'
import { payoutTotals } from './payout-totals.ts'

const pending = (amount: number) => ({ amount: toCents(amount), shares: null })

const approved = (amount: number, trader: number) => ({
  amount: toCents(amount),
  shares: { trader: toCents(trader), firm: toCents(amount - trader) },
})

it('adds up the amounts of all, and what traders receive of approved ones', () => {
  expect(payoutTotals([pending(10), approved(1_000, 800), pending(20)], undefined)).toEqual({
    count: 3,
    amount: 1_030,
    traderReceives: 800,
    euro: null,
  })
})

it('rounds each payment down before it adds them up', () => {
  // Together they would be 1.99 euro.
  expect(payoutTotals([approved(100, 100), approved(100, 100)], '0.999999').euro).toBe(198)
  expect(payoutTotals([approved(1, 1), approved(1, 1)], '0.999999').euro).toBe(0)
  expect(payoutTotals([approved(333, 333), pending(500)], '0.921234').euro).toBe(306)
})

it('is zero for none', () => {
  expect(payoutTotals([], '0.92')).toEqual({ count: 0, amount: 0, traderReceives: 0, euro: 0 })
})
