import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EntryKind, entryKinds } from './ledger-vocabulary.ts'
import { type GivenChange, withEntries } from '#test-support/balance-changes.ts'
import { balanceSteps, daysOf, figuresSince, resultOf, stepsOfPhase } from './trading-results.ts'

const at = (day: number, hour = 9) => Date.UTC(2026, 2, day, hour)
const balance = (moment: number, dollars: number, kind?: EntryKind): GivenChange => ({
  at: moment,
  number: moment,
  balance: dollars * 100,
  beginsPhase: false,
  ...(kind && { kind }),
})
const phase = (moment: number) => ({ at: moment, number: moment, balance: null, beginsPhase: true })
const steps = (changes: readonly GivenChange[]) => balanceSteps(withEntries(changes))

describe('the steps of a balance', () => {
  it('are the entries of the ledger, of which only trade results are results', () => {
    const changes = [
      balance(at(1), 0),
      balance(at(1), 10_000),
      balance(at(2), 10_600),
      balance(at(3), 10_350, 'payout'),
      balance(at(4), 10_600, 'payout-reversed'),
      balance(at(5), 10_350),
    ]
    expect(steps(changes).map((step) => [step.kind, resultOf(step)])).toEqual([
      ['deposit', 0],
      ['trade-result', 60_000],
      ['payout', 0],
      ['payout-reversed', 0],
      ['trade-result', -25_000],
    ])
  })

  it('begin a phase where both were set at once', () => {
    const reset = balance(at(3), 10_000, 'correction')
    const changes = [balance(at(1), 10_000), balance(at(2), 10_800), reset, phase(at(3)), phase(at(4))]
    expect(stepsOfPhase(steps(changes))).toMatchObject([{ at: at(3), balance: 1_000_000 }])
  })

  it('never add or lose a cent: results, and what was moved, are the balance', () => {
    const amounts = fc.array(fc.tuple(fc.integer({ min: -5, max: 5 }), fc.constantFrom(...entryKinds)))
    fc.assert(
      fc.property(amounts, (given) => {
        const all = steps(given.map(([dollars, kind], hour) => balance(hour, dollars, kind)))
        const last = all.at(-1)?.balance ?? 0
        expect(all.reduce((sum, { change }) => sum + change, 0)).toBe(last)
        const moved = all.filter(({ kind }) => kind !== 'trade-result').reduce((sum, { change }) => sum + change, 0)
        expect(all.reduce((sum, step) => sum + resultOf(step), moved)).toBe(last)
      }),
    )
  })
})

describe('the figures of what was traded', () => {
  const all = steps([
    balance(at(1), 10_000),
    balance(at(8), 9_500),
    balance(at(9, 8), 9_900),
    balance(at(9, 10), 9_800),
    balance(at(10), 9_400, 'payout'),
    balance(at(11, 0), 9_700),
  ])

  it('are one row for each day in UTC on which the balance changed', () => {
    expect(daysOf(all).map(({ day, closing, result }) => [day, closing, result])).toEqual([
      [at(1, 0) / 86_400_000, 1_000_000, 0],
      [at(8, 0) / 86_400_000, 950_000, -50_000],
      [at(9, 0) / 86_400_000, 980_000, 30_000],
      [at(10, 0) / 86_400_000, 940_000, 0],
      [at(11, 0) / 86_400_000, 970_000, 30_000],
    ])
  })

  it('name the best and the worst day, and the deepest fall, without payouts', () => {
    expect(figuresSince(all, 0)).toMatchObject({
      result: 10_000,
      best: { day: at(9, 0) / 86_400_000 },
      worst: { result: -50_000 },
      winningDays: 2,
      losingDays: 1,
      deepestFall: 50_000,
    })
  })

  it('count only what came after the moment', () => {
    expect(figuresSince(all, at(9, 8))).toMatchObject({
      result: 20_000,
      worst: { result: -10_000 },
      deepestFall: 10_000,
    })
    expect(figuresSince(all, at(12))).toEqual({
      result: 0,
      best: null,
      worst: null,
      winningDays: 0,
      losingDays: 0,
      deepestFall: 0,
    })
  })
})
