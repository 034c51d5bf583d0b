import { describe, expect, it } from 'vitest'
import { endsOf, levelsOf } from './account-end.ts'

const now = Date.parse('2026-03-03T14:00:00Z')
const began = Date.parse('2026-03-01T10:00:00Z')
const account: Parameters<typeof endsOf>[0] = {
  balance: '10250.00',
  profitLoss: '250.00',
  dailyDrawdownLimit: '5% / $500',
  overallLossLimit: '10%',
  profitTarget: '1000',
}
const point = (at: string, balance: string) => ({ at, number: 1, balance, profitLoss: '0.00' })
const points = [
  point('2026-02-20T10:00:00Z', '0.00'),
  point('2026-03-01T10:00:00Z', '10000.00'),
  point('2026-03-02T10:00:00Z', '10300.00'),
]
const today = point('2026-03-03T10:00:00Z', '10250.00')
const phase = (at: string) => ({
  number: 2,
  at,
  by: 'admin' as const,
  name: null,
  stream: 'account' as const,
  type: 'PhaseChanged',
  label: '',
  why: null,
})

const ends = (
  changes: Partial<typeof account> = {},
  more = [today],
  markers = [phase('2026-03-01T10:00:00Z')],
  paidOut: { at: number; cents: number }[] = [],
) => endsOf({ ...account, ...changes }, { points: [...points, ...more], markers, olderMarkers: 0 }, paidOut, now)

describe('where an account ends', () => {
  it('is the limit below the balance at midnight, and below the one that the phase began with', () => {
    expect(ends()).toMatchObject({
      daily: { at: 980_000, away: 45_000 },
      overall: { at: 900_000, away: 125_000 },
      target: 1_100_000,
    })
  })

  it('does not move by a payout', () => {
    const paid = [today, point('2026-03-03T11:00:00Z', '10150.00')]
    const after = ends({ balance: '10150.00', profitLoss: '150.00' }, paid, undefined, [
      { at: Date.parse('2026-03-03T11:00:00Z'), cents: 10_000 },
    ])
    expect(after).toMatchObject({ daily: { at: 970_000, away: 45_000 }, overall: { at: 900_000, away: 115_000 } })
  })

  it('is reached, and never less than nothing away', () => {
    const lost = [point('2026-03-03T11:00:00Z', '8900.00')]
    expect(ends({ balance: '8900.00', profitLoss: '-1100.00' }, lost)).toMatchObject({
      daily: { away: 0 },
      overall: { at: 900_000, away: 0 },
    })
  })

  it('counts from the newest phase', () => {
    const next = [today, point('2026-03-03T12:00:00Z', '20000.00')]
    const moved = ends({ balance: '20000.00', profitLoss: '0.00' }, next, [
      phase('2026-03-01T10:00:00Z'),
      phase('2026-03-03T12:00:00Z'),
    ])
    expect(moved).toMatchObject({ began: { balance: 2_000_000 }, overall: { at: 1_800_000, away: 200_000 } })
  })

  it.each([
    ['balance and profit contradict each other', { profitLoss: '0.00' }],
    ['the profit is no number', { profitLoss: 'much' }],
    ['the limit is only text', { overallLossLimit: '10%, trailing' }],
    ['there is no limit', { overallLossLimit: null }],
    ['the limit is above the balance', { overallLossLimit: '$20000' }],
  ])('is not said overall when %s', (_, changes) => expect(ends(changes).overall).toBeUndefined())

  it.each([
    ['the history does not have the present balance', { balance: '10249.00' }],
    ['the balance is no number', { balance: 'lots' }],
    ['the limit is only text', { dailyDrawdownLimit: 'As agreed' }],
  ])('is not said for today when %s', (_, changes) => expect(ends(changes).daily).toBeUndefined())

  it('is unknown before the first money', () => {
    const unfunded = endsOf(
      { ...account, balance: '0.00', profitLoss: '0.00' },
      { points: points.slice(0, 1), markers: [], olderMarkers: 0 },
      [],
      now,
    )
    expect(unfunded).toMatchObject({ began: undefined, daily: undefined, overall: undefined, target: undefined })
  })

  it('is drawn from the beginning of the day and of the phase', () => {
    expect(levelsOf(ends(), now)).toEqual([
      { label: 'Profit Target', cents: 1_100_000, from: began, tone: 'good' },
      { label: 'Daily Drawdown', cents: 980_000, from: Date.parse('2026-03-03T00:00:00Z'), tone: 'bad' },
      { label: 'Maximum Loss', cents: 900_000, from: began, tone: 'bad' },
    ])
    expect(levelsOf(ends({ profitLoss: '0.00', dailyDrawdownLimit: null }), now)).toEqual([])
  })
})
