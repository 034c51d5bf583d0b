import { describe, expect, it } from 'vitest'
import { DECISION_VERSION } from '#services/rules/decision-version.ts'
import { toCents } from '#services/rules/money.ts'
import type { PayoutTerms } from '#services/rules/payouts.ts'
import { availablePayout } from '#services/trading/stream/available-payout.ts'
import { beginTerms, type Stage, stageAfterEntry } from '#services/trading/stream/stage.ts'
import { sampleTerms } from '#test-support/terms.ts'
import { payoutNeeds } from './payout-needs.ts'

const DAY = 86_400_000
const start = Date.UTC(2026, 2, 2, 9)
type Rules = NonNullable<Parameters<typeof sampleTerms>[1]>

/** A stage of $100,000.00 after these results, one a day, from the first day on. */
function stageAfter(dollars: readonly number[], payouts: Partial<PayoutTerms> = {}, rules: Rules = []): Stage {
  return dollars.reduce(
    (stage, amount, day) => {
      const from = stage.timeline.engine.account?.balance ?? 0
      const moved = { from: toCents(from), to: toCents(from + amount * 100) }
      const entry = { kind: 'trade-result', ...moved, payoutId: null, booking: null } as const
      return stageAfterEntry(stage, start + day * DAY, entry)
    },
    beginTerms(sampleTerms(payouts, rules), { at: start, decisions: DECISION_VERSION }, 10_000_000),
  )
}

const needsOf = (stage: Stage, day: number, waiting = 0) => {
  const now = start + day * DAY + 3_600_000
  return payoutNeeds(stage, now, availablePayout(stage, now, waiting)).map((need) =>
    Object.fromEntries(Object.entries(need).filter(([, value]) => value !== null)),
  )
}

const goals: Rules = [
  { kind: 'minimum-days', days: 5, counts: { what: 'calendar' }, since: 'stage' },
  { kind: 'consistency', share: '40', unit: 'day', profit: 'net', since: 'stage', effect: 'withholds' },
]

describe('what a payout still needs', () => {
  it('is nothing while one is possible', () => {
    expect(needsOf(stageAfter([1_000]), 0)).toEqual([])
  })

  it('is the days and the profit that open goals lack, as the rules say it', () => {
    expect(needsOf(stageAfter([600, 300, 400], {}, goals), 2)).toEqual([
      { kind: 'minimum-days', have: '3', asked: '5', left: '2' },
      { kind: 'consistency', have: '1300.00', asked: '1500.00', left: '200.00', share: '46.15', mostShare: '40' },
    ])
  })

  it('is what the profit lacks to the minimum of the trader’s share, or of the profit, beside what waits', () => {
    const minimum = { amount: '50.00' }
    expect(needsOf(stageAfter([40], { minimum }), 0)).toEqual([
      { kind: 'minimum', have: '32.00', asked: '50.00', left: '18.00' },
    ])
    expect(needsOf(stageAfter([40], { minimum, minimumOf: 'profit' }), 0)).toEqual([
      { kind: 'minimum', have: '40.00', asked: '50.00', left: '10.00' },
    ])
    expect(needsOf(stageAfter([400], { minimum }), 0, 36_000)).toEqual([
      { kind: 'minimum', have: '32.00', asked: '50.00', left: '18.00' },
    ])
  })

  it('is the first cent above the profit that stays', () => {
    expect(needsOf(stageAfter([-120], { buffer: { amount: '500.00' } }), 0)).toEqual([
      { kind: 'profit', have: '-120.00', asked: '500.01', left: '620.01' },
    ])
  })

  it('is the days until the first payout', () => {
    expect(needsOf(stageAfter([1_000], { firstAfterDays: 14 }), 4)).toEqual([
      { kind: 'first-after-days', have: '4', asked: '14', left: '10' },
    ])
  })

  it('stays exact where the share asks for more profit than any amount', () => {
    const tiny: Rules = [
      { kind: 'consistency', share: '0.00000001', unit: 'day', profit: 'net', since: 'stage', effect: 'withholds' },
    ]
    expect(needsOf(stageAfter([20_000, 1], {}, tiny), 1)).toMatchObject([
      { asked: '200000000000000.00', left: '199999999979999.00' },
    ])
  })
})
