import { describe, expect, it } from 'vitest'
import { endOfDay } from './room-left.ts'
import { lossOfDay, tradingSteps } from './trading-results.ts'

const now = Date.parse('2026-03-03T14:00:00Z')

describe('the loss of a day', () => {
  it('counts from the balance at midnight UTC', () => {
    expect(
      loss(
        ['2026-03-01T09:00:00Z', '10000.00'],
        ['2026-03-02T23:59:59Z', '10200.00'],
        ['2026-03-03T00:00:01Z', '10100.00'],
        ['2026-03-03T10:00:00Z', '10050.00'],
      ),
    ).toBe(15_000)
  })

  it('is below zero on a day of gains', () => {
    expect(loss(['2026-03-02T09:00:00Z', '10000.00'], ['2026-03-03T09:00:00Z', '10050.00'])).toBe(-5_000)
  })

  it('counts from the first money of an account that was funded today', () => {
    expect(
      loss(['2026-03-01T09:00:00Z', '0.00'], ['2026-03-03T09:00:00Z', '10000.00'], ['2026-03-03T10:00:00Z', '9900.00']),
    ).toBe(10_000)
  })

  it('is derived from no balance or time that is invalid', () => {
    expect(
      loss(
        ['2026-03-02T09:00:00Z', '10000.00'],
        ['2026-03-03T08:00:00Z', 'lots'],
        ['yesterday', '1.00'],
        ['2026-03-03T09:00:00Z', '9900.00'],
      ),
    ).toBe(10_000)
  })

  it('is nothing without a history', () => {
    expect(loss()).toBe(0)
  })

  it('resets at the next midnight UTC', () => {
    const steps = tradingSteps(history(['2026-03-02T10:00:00Z', '10000.00'], ['2026-03-03T10:00:00Z', '9900.00']), [])
    expect(lossOfDay(steps, now)).toBe(10_000)
    expect(lossOfDay(steps, endOfDay(now))).toBe(0)
  })
})

describe('a change that is not a trading result', () => {
  const paidToday = history(
    ['2026-03-02T09:00:00Z', '10500.00'],
    ['2026-03-03T09:02:00Z', '10250.00'],
    ['2026-03-03T10:00:00Z', '10200.00'],
  )

  it('is a fall by just the amount of a payout that was approved before', () => {
    expect(lossOfDay(tradingSteps(paidToday, [{ at: Date.parse('2026-03-03T09:00:00Z'), cents: 25_000 }]), now)).toBe(
      5_000,
    )
  })

  it('is no other fall: one without a payout, of another amount, or before the approval', () => {
    expect(lossOfDay(tradingSteps(paidToday, []), now)).toBe(30_000)
    expect(lossOfDay(tradingSteps(paidToday, [{ at: Date.parse('2026-03-03T09:00:00Z'), cents: 25_001 }]), now)).toBe(
      30_000,
    )
    expect(lossOfDay(tradingSteps(paidToday, [{ at: Date.parse('2026-03-03T11:00:00Z'), cents: 25_000 }]), now)).toBe(
      30_000,
    )
  })

  it('is one fall for one payout, though another was as deep', () => {
    const twice = history(
      ['2026-03-02T09:00:00Z', '10500.00'],
      ['2026-03-03T09:02:00Z', '10250.00'],
      ['2026-03-03T10:00:00Z', '10000.00'],
    )
    expect(lossOfDay(tradingSteps(twice, [{ at: Date.parse('2026-03-03T09:00:00Z'), cents: 25_000 }]), now)).toBe(
      25_000,
    )
  })

  it('is a balance set together with a new phase', () => {
    const { points } = history(
      ['2026-03-02T09:00:00Z', '10800.00'],
      ['2026-03-03T09:00:00Z', '10000.00'],
      ['2026-03-03T10:00:00Z', '9950.00'],
    )
    const marker = {
      at: '2026-03-03T09:00:00Z',
      number: 5,
      by: 'admin' as const,
      name: null,
      stream: 'account' as const,
      type: 'PhaseChanged',
      label: 'Phase: Phase 1 to Phase 2',
      why: null,
    }
    expect(lossOfDay(tradingSteps({ points, markers: [marker] }, []), now)).toBe(5_000)
  })
})

function history(...given: readonly (readonly [at: string, balance: string])[]) {
  return {
    points: given.map(([at, balance], index) => ({ at, number: index + 1, balance, profitLoss: '0.00' })),
    markers: [],
  }
}

function loss(...given: readonly (readonly [at: string, balance: string])[]): number {
  return lossOfDay(tradingSteps(history(...given), []), now)
}
