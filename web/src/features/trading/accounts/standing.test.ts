import { describe, expect, it } from 'vitest'
import { Standing } from '#services/trading/accounts/standing-api.ts'
import { sampleProgrammeStanding, sampleStanding } from '@/testing/samples.ts'
import { holdsFor, isStale, levelsOf, resetTime, ruleOf, timeLeft } from './standing.ts'

describe('the levels of the chart', () => {
  const phase = Date.parse('2026-03-01T10:00:00Z')

  it('are the floors and the target of the standing, from the day and from the phase on', () => {
    expect(levelsOf(sampleStanding)).toEqual([
      { label: 'Profit Target', cents: 1_100_000, from: phase, tone: 'good' },
      { label: 'Daily Drawdown', cents: 950_000, from: Date.parse('2026-03-03T00:00:00Z'), tone: 'bad' },
      { label: 'Maximum Loss', cents: 900_000, from: phase, tone: 'bad' },
    ])
  })

  it('begin where a floor that follows the account came to be', () => {
    const [daily, ...others] = sampleProgrammeStanding.rules
    const terms = daily?.terms && { ...daily.terms, since: '2026-03-02T09:30:00.000Z' }
    const rules = [{ ...daily, kind: 'maximum-loss', terms }, ...others]
    expect(levelsOf(Standing.parse({ ...sampleProgrammeStanding, rules })).map(({ from }) => from)).toEqual([
      phase,
      Date.parse('2026-03-02T09:30:00Z'),
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

it('says when the day ends by the clock of the programme, and how long that is', () => {
  const terms = { name: '', version: 1, stage: '', zone: 'America/New_York', startsAt: '17:00', words: [] }
  expect(resetTime({ resetsAt: '2026-03-03T22:00:00.000Z', terms })).toMatch(
    /^17:00 America\/New_York( \(.* your time\))?$/,
  )
  expect(resetTime(sampleStanding)).toMatch(/^00:00 UTC/)
  expect([18_720_000, 18_000_000, 720_000, 59_999, -1, NaN].map(timeLeft)).toEqual([
    '5 h 12 min',
    '5 h',
    '12 min',
    'less than a minute',
    'less than a minute',
    'less than a minute',
  ])
})

it('takes figures for old after a day, and unknown ones always', () => {
  const now = Date.parse('2026-11-10T23:00:00Z')
  expect(isStale('2026-11-09T23:00:00.000Z', now)).toBe(false)
  expect(isStale('2026-11-09T22:59:59.999Z', now)).toBe(true)
  expect(isStale(null, now)).toBe(true)
})
