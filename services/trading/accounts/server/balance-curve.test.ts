import { describe, expect, it } from 'vitest'
import { type GivenChange, withEntries } from '#test-support/balance-changes.ts'
import { balanceSteps, resultOf } from '#services/trading/stream/trading-results.ts'
import { periodCurve } from './balance-curve.ts'

const at = (day: number) => Date.UTC(2026, 2, day, 9)
const change = (day: number, dollars: number, kind?: GivenChange['kind']): GivenChange => ({
  ...{ at: at(day), number: day, balance: dollars * 100, beginsPhase: false },
  ...(kind && { kind }),
})

/** A deposit, a gain, a payout and a loss. */
const paid = [change(1, 0), change(2, 10_000), change(3, 10_600), change(6, 10_000, 'payout'), change(7, 9_900)]

function curve(changes: readonly GivenChange[], start: number) {
  const steps = balanceSteps(withEntries(changes))
  const points = changes.map(({ at, number, balance }) => ({
    ...{ at, number, balance: balance ?? 0, profitLoss: 0 },
    traded: steps.reduce((sum, step) => (step.number <= number ? sum + resultOf(step) : sum), 0),
  }))
  return periodCurve(points, steps, start)
}

describe('the curve of a period', () => {
  it('begins at nothing, with the first money or with the period', () => {
    expect(curve(paid, -Infinity)).toEqual({
      ...{ from: at(2), balance: 1_000_000, index: 2, movedOtherwise: true },
      traded: [60_000, 60_000, 50_000],
    })
    expect(curve(paid, at(5))).toEqual({
      ...{ from: at(5), balance: 1_060_000, index: 3, movedOtherwise: true },
      traded: [0, -10_000],
    })
  })

  it('says whether anything but trading moved the balance in it', () => {
    expect(curve(paid, at(6))).toMatchObject({ balance: 1_000_000, traded: [-10_000], movedOtherwise: false })
  })

  it('holds its balance where nothing happened in it', () => {
    expect(curve(paid, at(20))).toEqual({
      ...{ from: at(20), balance: 990_000, index: paid.length, movedOtherwise: false },
      traded: [],
    })
  })

  it('ends with what was traded in it, also where its beginning is no point of the thinned curve', () => {
    const steps = balanceSteps(withEntries(paid))
    const last = { at: at(7), number: 7, balance: 990_000, profitLoss: 0, traded: 50_000 }
    expect(periodCurve([{ ...last, at: at(2), balance: 1_000_000, traded: 0 }, last], steps, at(5))).toMatchObject({
      balance: 1_060_000,
      traded: [-10_000],
    })
  })

  it('leaves out what is older than its beginning, also where a clock was set back', () => {
    const steps = balanceSteps(withEntries(paid))
    const point = (day: number, traded: number) => ({
      ...{ at: at(day), number: day, traded },
      balance: 1,
      profitLoss: 0,
    })
    const points = [{ ...point(8, 0), balance: 0 }, point(2, 0), point(3, 60_000), point(7, 50_000)]
    expect(periodCurve(points, steps, at(5))).toMatchObject({ index: 3, traded: [-10_000] })
  })

  it('is not there before the first money', () => {
    expect(curve([change(1, 0)], -Infinity)).toBeUndefined()
    expect(curve([], -Infinity)).toBeUndefined()
  })
})
