import { describe, expect, it } from 'vitest'
import {
  clock,
  consistency,
  figures,
  fixed,
  followsBalance,
  lastOf,
  linesOf,
  maximumLoss,
  minimumDays,
  on,
  payout,
  payouts,
  percent,
  profitTarget,
  state,
  trade,
  wholeDay,
  type Stage,
  type Written,
} from '#test-support/rules.ts'
import { nothingPaidOut, sharesOf } from './payouts.ts'

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

  describe('that was forfeited', () => {
    const forfeit = (at: string, amount: string): Written => ({ at, kind: 'payout', amount, forfeited: true })

    it('"is an observation `payout` with `forfeited: true` (profit, floor, day)"', () => {
      expect(after({}, state(on(2), '104000.00'), forfeit(on(3), '1000.00'))).toMatchObject({
        ...{ profit: '3000.00', available: '3000.00' },
      })
      const restarts = { rules: [maximumLoss(followsBalance)], payouts: payouts({ floor: 'restarts' }) }
      const won = [state(on(2), '104000.00')]
      expect(figures(lastOf(restarts, ...won, forfeit(on(3), '1000.00')))).toEqual(
        figures(lastOf(restarts, ...won, payout(on(3), '1000.00'))),
      )
    })

    it('"starts no waiting time, counts for no split or cap"', () => {
      const change = {
        ...{ firstAfterDays: 14, everyDays: 7, splitAfter: [{ payouts: 1, split: '90' }] },
        ...{ cap: fixed('500.00'), capFor: 1 },
      }
      expect(after(change, state(on(2), '104000.00'), forfeit(on(17), '1000.00'))).toMatchObject({
        ...{ available: '500.00', split: '80', from: null, missing: [] },
      })
      expect(after(change, state(on(2), '104000.00'), payout(on(17), '1000.00'))).toMatchObject({
        ...{ available: '0.00', split: '90', from: '2026-11-24', missing: ['every-days'] },
      })
    })

    it('"moves no `last-payout`"', () => {
      const counted = { what: 'traded', day: 'closed' } as const
      const stage = { rules: [minimumDays({ days: 1, counts: counted, since: 'last-payout' })], payouts: payouts() }
      const traded = [state(on(2), '100000.00'), trade(on(3), '4000.00')]
      const stateAfter = (one: Written) => lastOf(stage, ...traded, one).rules[0]?.state
      expect(stateAfter(forfeit(on(4), '1000.00'))).toBe('met')
      expect(stateAfter(payout(on(4), '1000.00'))).toBe('open')
    })
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

describe('payouts, parameter by parameter', () => {
  const stageWith = (change: Parameters<typeof payouts>[0], ...rules: Stage['rules']): Stage => ({
    rules,
    payouts: payouts(change),
  })
  const paidBy = (stage: Stage, ...observations: readonly Written[]) => lastOf(stage, ...observations).payout

  it('"`takes`: `request` (any amount up to what is available), `everything` (only the whole available amount)": the same is available', () => {
    const change = { buffer: fixed('100.00'), mostOfProfit: '50' }
    const observations = [state(on(2), '101000.00'), payout(on(3), '500.00')]
    const requested = linesOf(stageWith({ ...change, takes: 'request' }), ...observations)
    expect(linesOf(stageWith({ ...change, takes: 'everything' }), ...observations)).toEqual(requested)
    expect(requested.map((line) => line.payout?.available)).toEqual(['500.00', '250.00'])
  })

  it('"The gross amount leaves the account; of the profit it covers the trader\'s part is `split` percent, rounded down, the firm\'s the rest."', () => {
    const shares = (profit: number, gross: number) => sharesOf(payouts({ split: '80' }), nothingPaidOut, profit, gross)
    expect(shares(100_00, 50_01)).toEqual({ trader: 40_00, firm: 10_01, kept: 0 })
    // What is above the profit is no profit: the trader has no part of it.
    expect(shares(100_00, 150_00)).toEqual({ trader: 80_00, firm: 70_00, kept: 0 })
    expect(shares(-100_00, 50_00)).toEqual({ trader: 0, firm: 50_00, kept: 0 })
    expect(lastOf(stageWith({ split: '80' }), state(on(2), '101000.00'), payout(on(3), '500.00'))).toMatchObject({
      balance: '100500.00',
      payout: { profit: '500.00' },
    })
  })

  it("\"with each payout the firm's share of the whole profit leaves, and of the trader's share what was asked; what stays is the trader's\"", () => {
    const terms = payouts({ takes: 'firm-share-first', split: '80' })
    const shares = (gross: number) => sharesOf(terms, nothingPaidOut, 10_000_00, gross)
    expect(shares(10_000_00)).toEqual({ trader: 8_000_00, firm: 2_000_00, kept: 0 })
    expect(shares(5_000_00)).toEqual({ trader: 3_000_00, firm: 2_000_00, kept: 5_000_00 })
    expect(shares(2_000_00)).toEqual({ trader: 0, firm: 2_000_00, kept: 8_000_00 })
  })

  it('"`splitAfter`: `[{ "payouts": 3, "split": "90" }]`": after three payouts, and the latest of several entries', () => {
    const splitAfter = [
      { payouts: 3, split: '90' },
      { payouts: 2, split: '85' },
    ]
    const observations = [2, 3, 4, 5].map((day) => payout(on(day), '1.00'))
    const splits = linesOf(stageWith({ splitAfter }), state(on(1), '101000.00'), ...observations).map(
      (line) => line.payout?.split,
    )
    expect(splits).toEqual(['80', '80', '85', '90', '90'])
  })

  it('"`firstCountsFrom: "stage" | "first-trade"`": a day row with trades is a trade, a state is none', () => {
    const stage = stageWith({ firstAfterDays: 5, firstCountsFrom: 'first-trade' })
    const row = (trades: number) => wholeDay(on(3), '100000.00', '100000.00', '100000.00', { trades })
    expect(paidBy(stage, state(on(2), '100000.00'), row(1), clock(on(4)))?.from).toBe('2026-11-08')
    expect(paidBy(stage, state(on(2), '100000.00'), row(0), clock(on(4)))?.from).toBe('2026-11-09')
  })

  it('"`everyDays` from the last payout": calendar days, and `firstAfterDays` no more', () => {
    const stage = stageWith({ firstAfterDays: 30, everyDays: 7 })
    const observations = [state(on(2), '101000.00'), payout(on(4), '10.00'), clock(on(10)), clock(on(11))]
    expect(linesOf(stage, ...observations).map((line) => [line.payout?.from, line.payout?.missing])).toEqual([
      ['2026-12-02', ['first-after-days']],
      ['2026-11-11', ['every-days']],
      ['2026-11-11', ['every-days']],
      [null, []],
    ])
  })

  it('"`minimum` of the `share` that the trader receives or of the `profit` taken (`minimumOf`)": the profit', () => {
    const missing = (balance: string) =>
      paidBy(stageWith({ minimum: fixed('100.00'), minimumOf: 'profit' }), state(on(2), balance))?.missing
    expect(missing('100099.99')).toEqual(['minimum'])
    expect(missing('100100.00')).toEqual([])
  })

  it.each([
    ['`profit − buffer`', { buffer: percent('0.5') }, '1500.00'],
    ['`cap`', { cap: percent('0.7') }, '700.00'],
    ['`mostOfProfit × profit`', { mostOfProfit: '12.5' }, '250.00'],
    ['all three', { buffer: fixed('1700.00'), cap: fixed('400.00'), mostOfProfit: '33.33' }, '300.00'],
    ['all three', { buffer: fixed('1500.00'), cap: fixed('400.00'), mostOfProfit: '33.33' }, '400.00'],
    ['all three', { buffer: fixed('1200.00'), cap: fixed('900.00'), mostOfProfit: '33.33' }, '666.60'],
  ])('"available = the least of: profit − buffer; cap; mostOfProfit × profit": %s', (_, change, available) => {
    expect(paidBy(stageWith(change), state(on(2), '102000.00'))?.available).toBe(available)
  })

  it('"Products are exact and rounded once": a buffer of a part of a cent', () => {
    // 0.00001 percent of 99,999.99 is 0.009999999: a cent less is available.
    const stage = { ...stageWith({ buffer: percent('0.00001') }), size: '99999.99' }
    expect(paidBy(stage, state(on(2), '100000.99'))).toMatchObject({ profit: '1.00', available: '0.99' })
  })

  it('"never below 0", "`profit`" is missing', () => {
    expect(paidBy(stageWith({}), state(on(2), '99000.00'))).toMatchObject({
      profit: '-1000.00',
      available: '0.00',
      traderReceives: '0.00',
      missing: ['profit'],
    })
    expect(paidBy(stageWith({ buffer: fixed('2000.00') }), state(on(2), '101000.00'))).toMatchObject({
      profit: '1000.00',
      missing: ['profit'],
    })
  })

  it('"what keeps balance and measured value one cent above the maximum-loss floor": the lower of both, and the highest of several floors', () => {
    const near = maximumLoss({ limit: fixed('1000.00') })
    const available = (equity: string, ...rules: Stage['rules']) =>
      paidBy(stageWith({}, ...rules), state(on(2), '102000.00', equity))?.available
    expect(available('99500.00', near)).toBe('499.99')
    expect(available('102000.00', near)).toBe('2000.00')
    expect(available('109000.00', maximumLoss({ limit: fixed('0.00'), measures: 'equity' }))).toBe('1999.99')
    expect(available('99500.00', maximumLoss(), near)).toBe('499.99')
  })

  it('"(at it, where touch is allowed; no limit under `falls` and `restarts`)": the payout of what is available is kept', () => {
    for (const floor of ['stays', 'locks', 'falls', 'restarts'] as const)
      for (const touch of ['breach', 'allowed'] as const) {
        const stage = stageWith({ floor }, maximumLoss({ limit: fixed('1000.00'), ...followsBalance, touch }))
        const available = paidBy(stage, state(on(2), '103000.00'))?.available ?? ''
        expect(lastOf(stage, state(on(2), '103000.00'), payout(on(3), available)).status).toBe('in-progress')
      }
  })

  it.each(['stays', 'falls', 'locks', 'restarts'] as const)(
    '"`floor`: what a payout does to a floor that follows and is not locked": %s leaves another floor alone',
    (floor) => {
      const shown = (rule: Stage['rules'][number]) =>
        figures(lastOf(stageWith({ floor }, rule), state(on(2), '108000.00'), payout(on(3), '1000.00')))
      expect(shown(maximumLoss({ limit: fixed('5000.00') }))).toMatchObject({ floor: '95000.00', locked: false })
      const locking = maximumLoss({ limit: fixed('5000.00'), ...followsBalance, locksAbove: fixed('500.00') })
      // "this one also unlocks": the high becomes 107,000, and the floor locks again at once.
      expect(shown(locking)).toMatchObject({ floor: '100500.00', locked: true })
    },
  )

  it('"`restarts` (the high becomes the balance after the payout; this one also unlocks)": the floor follows again', () => {
    const rule = maximumLoss({ limit: fixed('5000.00'), ...followsBalance, locksAbove: fixed('0.00') })
    const lines = linesOf(
      stageWith({ floor: 'restarts' }, rule),
      state(on(2), '106000.00'),
      payout(on(3), '4000.00'),
      state(on(4), '104000.00'),
      state(on(5), '105000.00'),
    )
    expect(lines.map((line) => figures(line))).toMatchObject([
      { floor: '100000.00', locked: true },
      { floor: '97000.00', locked: false },
      { floor: '99000.00', locked: false },
      { floor: '100000.00', locked: true },
    ])
  })

  it('"`locks` (at the account size, even if it was higher)", and even if it was lower', () => {
    const lockedFrom = (balance: string) =>
      figures(
        lastOf(
          stageWith({ floor: 'locks' }, maximumLoss({ limit: fixed('5000.00'), ...followsBalance })),
          state(on(2), balance),
          payout(on(3), '500.00'),
          state(on(4), '120000.00'),
        ),
      )
    expect(lockedFrom('108000.00')).toMatchObject({ floor: '100000.00', locked: true })
    expect(lockedFrom('102000.00')).toMatchObject({ floor: '100000.00', locked: true })
  })

  it('"While anything is missing it is 0.00, and `missing` says what: kinds of goals, …": each kind once', () => {
    const rules = [profitTarget(), minimumDays(), minimumDays({ days: 9 }), consistency()]
    expect(paidBy(stageWith({}, ...rules), trade(on(2), '100.00'))?.missing).toEqual([
      'profit-target',
      'minimum-days',
      'consistency',
    ])
  })

  it('"`payout` in a funded stage", and null in any other', () => {
    expect(lastOf({ rules: [] }, clock(on(2))).payout).toBeNull()
    expect(Object.keys(paidBy(stageWith({}), clock(on(2))) ?? {})).toEqual([
      'profit',
      'available',
      'split',
      'traderReceives',
      'from',
      'missing',
    ])
  })

  it('"`from` is the first possible day, null once reached."', () => {
    const days = linesOf(stageWith({ firstAfterDays: 2 }), clock(on(2)), clock(on(3)), clock(on(4))).map(
      (line) => line.payout?.from,
    )
    expect(days).toEqual(['2026-11-04', '2026-11-04', null])
  })
})
