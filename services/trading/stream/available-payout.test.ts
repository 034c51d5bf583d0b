import { describe, expect, it } from 'vitest'
import { beginTerms, type Stage, stageAfterEntry } from './stage.ts'
import { DECISION_VERSION } from '#services/rules/decision-version.ts'
import { payoutId } from '#services/framework/ids.ts'
import { toCents } from '#services/rules/money.ts'
import type { PayoutTerms } from '#services/rules/payouts.ts'
import { maximumLoss, sampleTerms } from '#test-support/terms.ts'
import {
  approvedShares,
  assertRequestable,
  availablePayout,
  payoutEffect,
  PayoutNotAvailable,
} from './available-payout.ts'

const at = Date.UTC(2026, 2, 3)
const now = at + 3_600_000
const stageOf = (dollars: number, payouts: Partial<PayoutTerms> = {}, rules?: Parameters<typeof sampleTerms>[1]) =>
  beginTerms(sampleTerms(payouts, rules), { at, decisions: DECISION_VERSION }, Math.round(dollars * 100))
/** The stage after more entries of the ledger, by their kinds and amounts in cents. */
const booked = (stage: Stage, ...entries: readonly (readonly ['payout' | 'trade-result', number])[]) =>
  entries.reduce((before, [kind, amount]) => {
    const from = before.timeline.engine.account?.balance ?? 0
    const id = kind === 'payout' ? payoutId.parse('trader01-a1-p1') : null
    const moved = { from: toCents(from), to: toCents(from + amount) }
    return stageAfterEntry(before, now, { kind, ...moved, payoutId: id, booking: null })
  }, stage)
/** What is available and what the trader receives, in dollars. */
const figures = (...given: Parameters<typeof stageOf>) => {
  const { available, traderReceives } = availablePayout(stageOf(...given), now, 0)
  return [available / 100, traderReceives / 100]
}
const refusal = (decide: () => unknown) => {
  try {
    decide()
    return null
  } catch (error) {
    if (!(error instanceof PayoutNotAvailable)) throw error
    return [error.message, error.payout.available / 100, error.payout.missing]
  }
}

describe('the worked examples of facts/payouts.md', () => {
  it('1: everything closes the cycle', () => {
    expect(figures(104_000, { takes: 'everything' })).toEqual([4_000, 3_200])
    const stage = stageOf(104_000, { takes: 'everything' })
    expect(payoutEffect(stage, now, 400_000).profit).toEqual({ before: 400_000, after: 0 })
    const cycle = booked(stage, ['payout', -400_000], ['trade-result', 10_000])
    expect(availablePayout(cycle, now, 0)).toMatchObject({ profit: 10_000, available: 10_000 })
  })

  it('2: the firm’s share first, and what the trader keeps is never profit again', () => {
    const stage = stageOf(104_000, { takes: 'firm-share-first' })
    expect(approvedShares(stage, now, 300_000, 0)).toEqual({ trader: 220_000, firm: 80_000, kept: 100_000 })
    expect(payoutEffect(stage, now, 300_000).profit.after).toBe(0)
    const cycle = booked(stage, ['payout', -300_000], ['trade-result', 50_000])
    expect(availablePayout(cycle, now, 0)).toMatchObject({ profit: 50_000, traderReceives: 40_000 })
  })

  it('3: half of the profit, and at most the cap', () => {
    const half = { mostOfProfit: '50', cap: { amount: '6000.00' } }
    expect(figures(105_000, half)).toEqual([2_500, 2_000])
    expect(figures(120_000, half)).toEqual([6_000, 4_800])
    expect(payoutEffect(stageOf(120_000, half), now, 600_000).profit.after).toBe(1_400_000)
  })

  it.each([
    [105_000, 1_000],
    [106_500, 2_500],
    [109_000, 2_500],
    [103_900, 0],
    [104_000, 0],
    [104_000.01, 0.01],
    [106_499.99, 2_499.99],
  ])('4: with a buffer and a cap, a balance of $%f makes $%f available', (dollars, available) => {
    expect(figures(dollars, { buffer: { amount: '4000.00' }, cap: { amount: '2500.00' } })[0]).toBe(available)
  })

  it.each([
    [3_300, 700, []],
    [3_000, 0, ['minimum']],
    [3_100, 500, []],
    [3_099.99, 0, ['minimum']],
  ])('5: above a net of 2,600, a profit of %f makes %f available', (profit, available, missing) => {
    const terms = { buffer: { amount: '2600.00' }, minimum: { amount: '500.00' }, minimumOf: 'profit' } as const
    const payout = availablePayout(stageOf(100_000 + profit, terms), now, 0)
    expect([payout.available / 100, payout.missing]).toEqual([available, missing])
  })

  it.each([
    [106_000, 3_000, 2_700],
    [112_000, 5_000, 4_500],
  ])('6: a balance of $%i makes the lower of half and $5,000 available', (dollars, available, trader) => {
    expect(figures(dollars, { mostOfProfit: '50', cap: { amount: '5000.00' }, split: '90' })).toEqual([
      available,
      trader,
    ])
  })

  it('8: a locked floor leaves a cent of room', () => {
    const lockedAtSize = {
      limit: { amount: '1000.00' },
      follows: { value: 'balance', at: 'every-change' },
      locksAbove: { amount: '0.00' },
    } as const
    const locked = maximumLoss(lockedAtSize)
    expect(figures(101_000, {}, [locked])[0]).toBe(999.99)
    expect(figures(101_000, {}, [maximumLoss({ ...lockedAtSize, touch: 'allowed' })])[0]).toBe(1_000)
    expect(payoutEffect(stageOf(101_000, {}, [locked]), now, 80_000).floor).toEqual({
      before: 10_000_000,
      after: 10_000_000,
    })
  })

  it('9: the trader’s part is rounded down', () => {
    expect(approvedShares(stageOf(104_000.01), now, 400_001, 0)).toMatchObject({ trader: 320_000, firm: 80_001 })
    expect(approvedShares(stageOf(103_333.33, { split: '87.5' }), now, 333_333, 0)).toMatchObject({
      trader: 291_666,
      firm: 41_667,
    })
    expect(refusal(() => assertRequestable(stageOf(104_000), now, [], 1))?.[0]).toMatch(/^Nothing of this amount/)
  })

  it('10: a balance that fell makes less available at the approval', () => {
    expect(refusal(() => approvedShares(stageOf(102_500), now, 400_000, 0))).toEqual([
      'The amount is above the $2,500.00 that is available now. The request stays pending.',
      2_500,
      [],
    ])
    expect(approvedShares(stageOf(102_500), now, 250_000, 0)).toMatchObject({ trader: 200_000, firm: 50_000 })
  })
})

describe('a request under terms', () => {
  const ask = (stage: ReturnType<typeof stageOf>, dollars: number, pending: readonly number[] = []) =>
    refusal(() => assertRequestable(stage, now, pending, Math.round(dollars * 100)))

  it('is possible up to what is left beside the requests that wait', () => {
    expect(ask(stageOf(104_000), 4_000)).toBeNull()
    expect(ask(stageOf(104_000), 1_000, [300_000])).toBeNull()
    expect(ask(stageOf(104_000), 1_000.01, [300_000])).toEqual([
      'The amount is above the $1,000.00 that is available now.',
      1_000,
      [],
    ])
    expect(ask(stageOf(104_000), 1, [400_000])).toEqual(['Nothing is available for a payout now.', 0, ['minimum']])
  })

  it('is refused below the minimum, of the share or of the profit, exactly at the edge', () => {
    const share = stageOf(104_000, { minimum: { amount: '80.00' } })
    expect([ask(share, 99.99)?.[0], ask(share, 100)]).toEqual(['The amount is below the minimum of the terms.', null])
    const profit = stageOf(104_000, { minimum: { amount: '80.00' }, minimumOf: 'profit' })
    expect([ask(profit, 79.99)?.[0], ask(profit, 80)]).toEqual(['The amount is below the minimum of the terms.', null])
    expect(availablePayout(share, now, 390_001)).toMatchObject({ available: 0, missing: ['minimum'] })
    expect(availablePayout(share, now, 390_000)).toMatchObject({
      available: 10_000,
      traderReceives: 8_000,
      missing: [],
    })
  })

  it('is refused for a part where the terms allow only the whole', () => {
    const whole = stageOf(104_000, { takes: 'everything' })
    expect(ask(whole, 3_999.99)?.[0]).toBe('The terms allow only the whole available amount: $4,000.00.')
    expect(ask(whole, 4_000)).toBeNull()
  })

  it('is refused beside another one where days have to pass between payouts', () => {
    expect(ask(stageOf(104_000, { everyDays: 14 }), 100, [100])?.[0]).toMatch(/^A request waits already/)
  })

  it('says what is missing', () => {
    expect(ask(stageOf(104_000, { firstAfterDays: 1 }), 100)).toEqual([
      'Nothing is available for a payout now.',
      0,
      ['first-after-days'],
    ])
    expect(ask(stageOf(99_000), 100)?.[2]).toEqual(['profit'])
    expect(ask(stageOf(90_000), 100)?.[2]).toEqual(['profit', 'breached'])
  })
})
