import { describe, expect, it } from 'vitest'
import type { AccountHistory } from '#services/trading/accounts/account-api.ts'
import { emptyHistory } from '@/testing/samples.ts'
import { balancesOf, curveOf, type Range, tradedOf } from './performance.ts'

const now = Date.parse('2026-03-10T12:00:00Z')

const none = emptyHistory.periods.all
const points = [
  point('2026-01-01T09:00:00Z', '0.00'),
  point('2026-01-02T09:00:00Z', '10000.00'),
  point('2026-02-20T09:00:00Z', '9500.00'),
  point('2026-03-08T09:00:00Z', '9800.00'),
  point('2026-03-09T09:00:00Z', '9700.00'),
  point('2026-03-09T15:00:00Z', '9900.00'),
]
const all = {
  ...{ from: '2026-01-02T09:00:00Z', balance: '10000.00', index: 2, movedOtherwise: false },
  traded: ['-500.00', '-200.00', '-300.00', '-100.00'],
}
const week = {
  ...{ from: '2026-03-03T12:00:00Z', balance: '9500.00', index: 3, movedOtherwise: true },
  traded: ['300.00', '200.00', '400.00'],
}
const history: AccountHistory = {
  ...emptyHistory,
  points,
  days: ['2026-01-02', '2026-02-20', '2026-03-08', '2026-03-09'].map((date) => ({
    date,
    closing: '9000.00',
    result: '1.00',
  })),
  periods: { ...emptyHistory.periods, '7d': { ...none, winningDays: 7, curve: week }, all: { ...none, curve: all } },
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
  it('begins where the server says and goes on until now', () => {
    const values = balancesOf(curve('all'))
    expect(values[0]).toEqual({ at: Date.parse('2026-01-02T09:00:00Z'), cents: 1_000_000 })
    expect(values.at(-1)).toEqual({ at: now, cents: 990_000 })
  })

  it('begins a range with the balance that held at its edge', () => {
    const { points } = curve('7d')
    expect(points[0]).toEqual({ at: now - 7 * 86_400_000, balance: 950_000, traded: 0 })
    expect(points).toHaveLength(5)
  })

  it('takes what was traded from the server, and whether anything else moved the balance', () => {
    expect(tradedOf(curve('all')).map(({ cents }) => cents)).toEqual([0, -50_000, -20_000, -30_000, -10_000, -10_000])
    expect(tradedOf(curve('7d')).map(({ cents }) => cents)).toEqual([0, 30_000, 20_000, 40_000, 40_000])
    expect([curve('all').movedOtherwise, curve('7d').movedOtherwise]).toEqual([false, true])
  })

  it('marks a breach on its day, not on that of the decision', () => {
    const breach = {
      ...marker('2026-03-09T16:00:00Z', 'Status: Active to Breached'),
      occurredAt: '2026-01-05T09:00:00Z',
    }
    const marked = { ...history, markers: [breach] }
    const at = (range: '7d' | 'all') =>
      curveOf(marked, range, now)?.markers.map((one) => new Date(one.at).toISOString())
    expect(at('all')).toEqual(['2026-01-05T09:00:00.000Z'])
    expect(at('7d')).toEqual([])
  })

  it('has only the marks, the days and the figures of its range', () => {
    const week = curve('7d')
    expect(week.markers.map(({ label }) => label)).toEqual(['Payouts enabled'])
    expect(week.days.map(({ date }) => date)).toEqual(['2026-03-08', '2026-03-09'])
    expect(week.figures.winningDays).toBe(7)
    const whole = curve('all')
    expect([whole.markers.length, whole.days.length, whole.figures.winningDays]).toEqual([2, 4, 0])
  })

  it('is not there for an account that never had money', () => {
    expect(curveOf(emptyHistory, 'all', now)).toBeUndefined()
  })

  it('holds its balance until now where nothing came after its beginning', () => {
    const quiet = { ...week, index: 6, traded: [] }
    const given = { ...history, periods: { ...history.periods, '7d': { ...none, curve: quiet } } }
    expect(balancesOf(curve('7d', given)).map(({ cents }) => cents)).toEqual([950_000, 950_000])
  })

  it('is not there where nothing is known of any point', () => {
    expect(curveOf({ ...history, points: [point('yesterday', '1.00')] }, 'all', now)).toBeUndefined()
  })

  it('leaves out a point of which nothing is known', () => {
    const odd = [
      ...points.slice(0, 2),
      point('2026-03-02T09:00:00Z', 'lots'),
      point('yesterday', '1.00'),
      ...points.slice(4),
    ]
    expect(balancesOf(curve('all', { ...history, points: odd })).map(({ cents }) => cents)).toEqual([
      1_000_000, 970_000, 990_000, 990_000,
    ])
  })
})

function point(at: string, balance: string) {
  return { at, number: 1, balance, profitLoss: '0.00', traded: '0.00' }
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
    amount: null,
    to: null,
    corrects: null,
    why: null,
  }
}
