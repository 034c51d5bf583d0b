import { describe, expect, it } from 'vitest'
import type { AccountHistory } from '#services/modules/accounts/account-api.ts'
import { emptyHistory } from '@/testing/samples.ts'
import { balancesOf, curveOf, movedBesidesTrading, type Range, tradedOf } from './performance.ts'

const now = Date.parse('2026-03-10T12:00:00Z')

const history: AccountHistory = {
  ...emptyHistory,
  points: [
    point('2026-01-01T09:00:00Z', '0.00', '0.00'),
    point('2026-01-02T09:00:00Z', '10000.00', '0.00'),
    point('2026-02-20T09:00:00Z', '9500.00', '-500.00'),
    point('2026-03-08T09:00:00Z', '9800.00', '-200.00'),
    point('2026-03-09T09:00:00Z', '9700.00', '-300.00'),
    point('2026-03-09T15:00:00Z', '9900.00', '-100.00'),
  ],
  days: ['2026-01-02', '2026-02-20', '2026-03-08', '2026-03-09'].map((date) => ({
    date,
    closing: '9000.00',
    result: '1.00',
  })),
  periods: { ...emptyHistory.periods, '7d': { ...emptyHistory.periods.all, winningDays: 7 } },
  markers: [
    marker('2026-01-02T10:00:00Z', 'Status: Pending to Active'),
    marker('2026-03-09T16:00:00Z', 'Payouts enabled'),
  ],
}
const curve = (range: Range, given: AccountHistory = history) => {
  const drawn = curveOf(given, range, now)
  if (!drawn) throw new Error('There is no curve')
  return drawn
}

describe('the curve', () => {
  it('begins with the first money and goes on until now', () => {
    const values = balancesOf(curve('all'))
    expect(values[0]).toEqual({ at: Date.parse('2026-01-02T09:00:00Z'), cents: 1_000_000 })
    expect(values.at(-1)).toEqual({ at: now, cents: 990_000 })
  })

  it('begins a range with the balance that stood at its edge', () => {
    const { points } = curve('7d')
    expect(points[0]).toMatchObject({ at: now - 7 * 86_400_000, balance: 950_000 })
    expect(points).toHaveLength(5)
  })

  it('has only the marks, the days and the figures of its range', () => {
    const week = curve('7d')
    expect(week.markers.map(({ label }) => label)).toEqual(['Payouts enabled'])
    expect(week.days.map(({ date }) => date)).toEqual(['2026-03-08', '2026-03-09'])
    expect(week.figures.winningDays).toBe(7)
    const all = curve('all')
    expect([all.markers.length, all.days.length, all.figures.winningDays]).toEqual([2, 4, 0])
  })

  it('is not there for an account that never had money', () => {
    const poor = { ...emptyHistory, points: [point('2026-01-01T09:00:00Z', '0.00', '0.00')] }
    expect(curveOf(poor, 'all', now)).toBeUndefined()
    expect(curveOf(emptyHistory, 'all', now)).toBeUndefined()
  })

  it('shows an account that fell to nothing until the end', () => {
    const points = [point('2026-03-01T09:00:00Z', '100.00', '0.00'), point('2026-03-02T09:00:00Z', '0.00', '-100.00')]
    expect(balancesOf(curve('all', { ...emptyHistory, points })).map(({ cents }) => cents)).toEqual([10_000, 0, 0])
  })

  it('leaves out a point of which nothing is known', () => {
    const points = [
      point('2026-03-01T09:00:00Z', '100.00', '0.00'),
      point('2026-03-02T09:00:00Z', 'lots', '0.00'),
      point('yesterday', '1.00', '0.00'),
    ]
    expect(balancesOf(curve('all', { ...emptyHistory, points })).map(({ cents }) => cents)).toEqual([10_000, 10_000])
  })
})

describe('what was traded', () => {
  const paid = {
    ...emptyHistory,
    points: [
      point('2026-03-01T09:00:00Z', '10000.00', '0.00'),
      point('2026-03-02T09:00:00Z', '10600.00', '600.00'),
      point('2026-03-06T09:00:00Z', '10000.00', '600.00'),
      point('2026-03-07T09:00:00Z', '9900.00', '500.00'),
    ],
  }

  it('begins at nothing in every range', () => {
    expect(tradedOf(curve('all', paid)).map(({ cents }) => cents)).toEqual([0, 60_000, 60_000, 50_000, 50_000])
    expect(tradedOf(curve('7d', paid)).map(({ cents }) => cents)).toEqual([0, 0, -10_000, -10_000])
  })

  it('differs from the balance only after a payout or a new phase', () => {
    expect(movedBesidesTrading(curve('all', paid))).toBe(true)
    expect(movedBesidesTrading(curve('all'))).toBe(false)
  })
})

function point(at: string, balance: string, traded: string) {
  return { at, number: 1, balance, profitLoss: '0.00', traded }
}

function marker(at: string, label: string) {
  return {
    at,
    number: 2,
    by: 'admin' as const,
    name: null,
    stream: 'account' as const,
    type: 'AnyEvent',
    label,
    why: null,
  }
}
