import { describe, expect, it } from 'vitest'
import {
  clock,
  consistency,
  figures,
  fixed,
  followsBalance,
  lastOf,
  maximumLoss,
  minimumDays,
  on,
  payout,
  payouts,
  state,
  trade,
} from '#test-support/rules.ts'

// Each test quotes the sentence of rules.md that it is about.

describe('payouts', () => {
  const after = (change: Parameters<typeof payouts>[0], ...observations: Parameters<typeof lastOf>[1][]) =>
    lastOf({ rules: [], payouts: payouts(change) }, ...observations).payout

  it('"of the profit it covers the trader\'s part is `split` percent, rounded down"', () => {
    expect(after({ split: '80' }, state(on(2), '100000.01'))).toMatchObject({
      available: '0.01',
      traderReceives: '0.00',
    })
  })

  it("\"`firm-share-first` (with each payout the firm's share of the whole profit leaves, and of the trader's share what was asked; what stays is the trader's and is never profit again)\"", () => {
    const change = { takes: 'firm-share-first' as const }
    expect(after(change, state(on(2), '110000.00'))).toMatchObject({ available: '10000.00', traderReceives: '8000.00' })
    // The firm's 2,000 and 3,000 of the trader's 8,000 leave. 5,000 stay.
    expect(after(change, state(on(2), '110000.00'), payout(on(3), '5000.00'))).toMatchObject({ profit: '0.00' })
    expect(after(change, state(on(2), '110000.00'), payout(on(3), '5000.00'), state(on(4), '106000.00'))).toMatchObject(
      { profit: '1000.00', traderReceives: '800.00' },
    )
  })

  it('"`splitAfter`: `[{ "payouts": 3, "split": "90" }]`"', () => {
    const change = { splitAfter: [{ payouts: 1, split: '90' }] }
    expect(after(change, state(on(2), '101000.00'))?.split).toBe('80')
    expect(after(change, state(on(2), '101000.00'), payout(on(3), '500.00'))).toMatchObject({
      split: '90',
      traderReceives: '450.00',
    })
  })

  it('"`firstAfterDays` counts calendar days from the stage\'s opening or the `first-trade`, `everyDays` from the last payout."', () => {
    const change = { firstAfterDays: 14, everyDays: 7 }
    expect(after(change, state(on(2), '101000.00'))).toMatchObject({
      from: '2026-11-16',
      missing: ['first-after-days'],
      available: '0.00',
    })
    expect(after(change, state(on(2), '101000.00'), clock(on(16)))).toMatchObject({
      from: null,
      missing: [],
      available: '1000.00',
    })
    const traded = { ...change, firstCountsFrom: 'first-trade' as const }
    expect(after(traded, clock(on(2)), trade(on(4), '1000.00'))).toMatchObject({ from: '2026-11-18' })
    expect(after(change, state(on(2), '102000.00'), payout(on(16), '1000.00'))).toMatchObject({
      from: '2026-11-23',
      missing: ['every-days'],
    })
  })

  it('"`minimum` of the `share` that the trader receives or of the `profit` taken"', () => {
    expect(after({ minimum: fixed('100.00') }, state(on(2), '100124.99'))?.missing).toEqual(['minimum'])
    expect(after({ minimum: fixed('100.00') }, state(on(2), '100125.00'))?.missing).toEqual([])
    expect(after({ minimum: fixed('100.00'), minimumOf: 'profit' }, state(on(2), '100100.00'))?.missing).toEqual([])
  })

  it('"`cap` per payout or `null`, for the first `capFor` payouts (`null`: all)"', () => {
    const change = { cap: fixed('500.00'), capFor: 1 }
    expect(after(change, state(on(2), '102000.00'))?.available).toBe('500.00')
    expect(after(change, state(on(2), '102000.00'), payout(on(3), '500.00'))?.available).toBe('1500.00')
    expect(after({ ...change, capFor: null }, state(on(2), '102000.00'), payout(on(3), '500.00'))?.available).toBe(
      '500.00',
    )
  })

  it('"`buffer`: profit that stays. `mostOfProfit`: percent of the profit that one payout may take."', () => {
    expect(after({ buffer: fixed('2000.00') }, state(on(2), '102100.00'))?.available).toBe('100.00')
    expect(after({ mostOfProfit: '50' }, state(on(2), '104000.00'))?.available).toBe('2000.00')
  })

  it('"`stays`; `falls` (the high falls by the payout); `locks` (at the account size, even if it was higher); `restarts` (the high becomes the balance after the payout; this one also unlocks)"', () => {
    const paid = (floor: 'stays' | 'falls' | 'locks' | 'restarts', locksAbove: { amount: string } | null = null) =>
      figures(
        lastOf(
          {
            rules: [maximumLoss({ limit: fixed('5000.00'), ...followsBalance, locksAbove })],
            payouts: payouts({ floor }),
          },
          state(on(2), '108000.00'),
          payout(on(3), '3000.00'),
        ),
      )
    expect(paid('stays')).toMatchObject({ floor: '103000.00', locked: false })
    expect(paid('falls')).toMatchObject({ floor: '100000.00', locked: false })
    expect(paid('locks')).toMatchObject({ floor: '100000.00', locked: true })
    expect(paid('restarts')).toMatchObject({ floor: '100000.00', locked: false })
    expect(paid('falls', fixed('1000.00'))).toMatchObject({ floor: '101000.00', locked: true })
    expect(paid('restarts', fixed('1000.00'))).toMatchObject({ floor: '100000.00', locked: false })
  })

  it('"what keeps balance and measured value one cent above the maximum-loss floor that will hold after the payout (at it, where touch is allowed; no limit under `falls` and `restarts`)"', () => {
    const available = (floor: 'stays' | 'falls' | 'locks' | 'restarts', touch: 'breach' | 'allowed' = 'breach') =>
      lastOf(
        { rules: [maximumLoss({ limit: fixed('5000.00'), ...followsBalance, touch })], payouts: payouts({ floor }) },
        state(on(2), '107000.00'),
      ).payout?.available
    expect(available('stays')).toBe('4999.99')
    expect(available('stays', 'allowed')).toBe('5000.00')
    expect(available('locks')).toBe('6999.99')
    expect(available('falls')).toBe('7000.00')
    expect(available('restarts')).toBe('7000.00')
  })

  it('"While anything is missing it is 0.00, and `missing` says what"', () => {
    const stage = {
      rules: [maximumLoss(), minimumDays(), consistency()],
      payouts: payouts({ firstAfterDays: 9, minimum: fixed('50.00') }),
    }
    expect(lastOf(stage, trade(on(2), '10.00')).payout).toEqual({
      profit: '10.00',
      available: '0.00',
      split: '80',
      traderReceives: '0.00',
      from: '2026-11-11',
      missing: ['minimum-days', 'consistency', 'first-after-days', 'minimum'],
    })
    expect(lastOf(stage, trade(on(2), '-20000.00')).payout?.missing).toEqual([
      'minimum-days',
      'first-after-days',
      'minimum',
      'profit',
      'breached',
    ])
  })
})
