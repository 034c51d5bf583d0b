import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { balanceSteps, type Booking, daysOf, figuresSince, resultOf, stepsOfPhase } from './trading-results.ts'

const at = (day: number, hour = 9) => Date.UTC(2026, 2, day, hour)
const balance = (moment: number, dollars: number) => ({
  at: moment,
  number: moment,
  balance: dollars * 100,
  beginsPhase: false,
})
const phase = (moment: number) => ({ at: moment, number: moment, balance: null, beginsPhase: true })
const payout = (moment: number, dollars: number, reversedAt: number | null = null): Booking => ({
  amount: dollars * 100,
  at: moment,
  reversedAt,
})
const causes = (...given: Parameters<typeof balanceSteps>) => balanceSteps(...given).map(({ cause }) => cause)

describe('the cause of a change of the balance', () => {
  it('is the first money, and then trading', () => {
    expect(causes([balance(at(1), 0), balance(at(2), 10_000), balance(at(3), 9_900)], [])).toEqual([
      'first-money',
      'trading',
    ])
  })

  it('is a payout where it falls by just the amount of one that was approved before, and once for each', () => {
    const changes = [balance(at(1), 10_000), balance(at(2), 10_500), balance(at(3, 10), 10_250), balance(at(4), 10_000)]
    expect(causes(changes, [payout(at(3), 250)])).toEqual(['first-money', 'trading', 'payout', 'trading'])
    expect(causes(changes, [payout(at(3), 250), payout(at(3), 250)]).slice(2)).toEqual(['payout', 'payout'])
    expect(causes(changes, [payout(at(3, 10), 250)]).slice(2)).toEqual(['payout', 'trading'])
  })

  it('is no payout of another amount, or before the approval', () => {
    const changes = [balance(at(1), 10_000), balance(at(2), 9_750)]
    expect(causes(changes, [payout(at(1), 250.01)])).toEqual(['first-money', 'trading'])
    expect(causes(changes, [payout(at(2, 10), 250)])).toEqual(['first-money', 'trading'])
  })

  it('is a reversal where it rises by a payout whose approval was taken back', () => {
    const changes = [balance(at(1), 10_000), balance(at(3), 9_750), balance(at(5), 10_000), balance(at(6), 10_250)]
    expect(causes(changes, [payout(at(2), 250, at(4))]).slice(1)).toEqual(['payout', 'reversal', 'trading'])
    expect(causes(changes, [payout(at(2), 250)]).slice(1)).toEqual(['payout', 'trading', 'trading'])
  })

  it('is trading after an approval that was taken back before', () => {
    const changes = [balance(at(1), 10_000), balance(at(5), 9_750), balance(at(6), 10_000)]
    expect(causes(changes, [payout(at(2), 250, at(4))]).slice(1)).toEqual(['trading', 'trading'])
  })

  it('is a phase where both were set at once', () => {
    const changes = [balance(at(1), 10_000), balance(at(2), 10_800), balance(at(3), 10_000), phase(at(3)), phase(at(4))]
    expect(causes(changes, [])).toEqual(['first-money', 'trading', 'phase'])
    expect(stepsOfPhase(balanceSteps(changes, []))).toMatchObject([{ at: at(3), balance: 1_000_000 }])
  })

  it('never adds or loses a cent: results, and what was moved, are the balance', () => {
    const amounts = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 40 })
    const bookings = fc.array(
      fc.record({ hour: fc.nat(40), amount: fc.integer({ min: 1, max: 5 }), reversed: fc.nat(40) }),
    )
    fc.assert(
      fc.property(amounts, bookings, fc.nat(40), (changes, booked, phaseAt) => {
        const steps = balanceSteps(
          [...changes.map((dollars, hour) => balance(hour, dollars)), phase(phaseAt)],
          booked.map(({ hour, amount, reversed }) => payout(hour, amount, reversed < hour ? null : reversed)),
        )
        const last = steps.at(-1)?.balance ?? 0
        expect(steps.reduce((sum, { change }) => sum + change, 0)).toBe(last)
        const moved = steps.filter(({ cause }) => cause !== 'trading').reduce((sum, { change }) => sum + change, 0)
        expect(steps.reduce((sum, step) => sum + resultOf(step), moved)).toBe(last)
        const paid = steps.filter(({ cause }) => cause === 'payout')
        expect(paid.length).toBeLessThanOrEqual(booked.length)
      }),
    )
  })
})

describe('the figures of what was traded', () => {
  const steps = balanceSteps(
    [
      balance(at(1), 10_000),
      balance(at(8), 9_500),
      balance(at(9, 8), 9_900),
      balance(at(9, 10), 9_800),
      balance(at(10), 9_400),
      balance(at(11, 0), 9_700),
    ],
    [payout(at(10, 1), 400)],
  )

  it('are one row for each day in UTC on which the balance changed', () => {
    expect(daysOf(steps).map(({ day, closing, result }) => [day, closing, result])).toEqual([
      [at(1, 0) / 86_400_000, 1_000_000, 0],
      [at(8, 0) / 86_400_000, 950_000, -50_000],
      [at(9, 0) / 86_400_000, 980_000, 30_000],
      [at(10, 0) / 86_400_000, 940_000, 0],
      [at(11, 0) / 86_400_000, 970_000, 30_000],
    ])
  })

  it('name the best and the worst day, and the deepest fall, without payouts', () => {
    expect(figuresSince(steps, 0)).toMatchObject({
      result: 10_000,
      best: { day: at(9, 0) / 86_400_000 },
      worst: { result: -50_000 },
      winningDays: 2,
      losingDays: 1,
      deepestFall: 50_000,
    })
  })

  it('count only what came after the moment', () => {
    expect(figuresSince(steps, at(9, 8))).toMatchObject({
      result: 20_000,
      worst: { result: -10_000 },
      deepestFall: 10_000,
    })
    expect(figuresSince(steps, at(12))).toEqual({
      result: 0,
      best: null,
      worst: null,
      winningDays: 0,
      losingDays: 0,
      deepestFall: 0,
    })
  })
})
