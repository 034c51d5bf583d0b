import { describe, expect, it } from 'vitest'
import { sampleStanding } from '@/testing/samples.ts'
import { holdsFor, levelsOf, ruleOf } from './standing.ts'

describe('the levels of the chart', () => {
  const phase = Date.parse('2026-03-01T10:00:00Z')

  it('are the floors and the target of the standing, from the day and from the phase on', () => {
    expect(levelsOf(sampleStanding)).toEqual([
      { label: 'Profit Target', cents: 1_100_000, from: phase, tone: 'good' },
      { label: 'Daily Drawdown', cents: 950_000, from: Date.parse('2026-03-03T00:00:00Z'), tone: 'bad' },
      { label: 'Maximum Loss', cents: 900_000, from: phase, tone: 'bad' },
    ])
  })

  it('are none without rules or before the first money, and no daily one after a breach', () => {
    expect(levelsOf({ ...sampleStanding, rules: [] })).toEqual([])
    expect(levelsOf({ ...sampleStanding, began: null })).toEqual([])
    expect(levelsOf({ ...sampleStanding, status: 'breached' }).map(({ label }) => label)).toEqual([
      'Profit Target',
      'Maximum Loss',
    ])
  })
})

it('finds the rule that a field sets', () => {
  expect(ruleOf(sampleStanding, 'overallLossLimit')?.floor).toBe('9000.00')
  expect(ruleOf({ ...sampleStanding, rules: [] }, 'overallLossLimit')).toBeUndefined()
})

it.each([
  ['2026-03-03T23:50:00.000Z', 0, 601_000],
  ['2026-03-03T23:50:00.000Z', 300_000, 301_000],
  ['2026-03-03T23:50:00.000Z', 700_000, 30_000],
  ['odd', 0, 86_400_000],
])('holds a standing of %s that is %i ms old for %i ms', (at, age, rest) => {
  expect(holdsFor({ at, resetsAt: '2026-03-04T00:00:00.000Z' }, age)).toBe(rest)
})
