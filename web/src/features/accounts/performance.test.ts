import { describe, expect, it } from 'vitest'
import { curveOf, daysOf, figuresOf, movedBesidesTrading, tradedOf } from './performance.ts'

const now = Date.parse('2026-03-10T12:00:00Z')

const history = {
  points: [
    point('2026-01-01T09:00:00Z', '0.00'),
    point('2026-01-02T09:00:00Z', '10000.00'),
    point('2026-02-20T09:00:00Z', '9500.00'),
    point('2026-03-08T09:00:00Z', '9800.00'),
    point('2026-03-09T09:00:00Z', '9700.00'),
    point('2026-03-09T15:00:00Z', '9900.00'),
  ],
  markers: [
    marker('2026-01-02T10:00:00Z', 'Status: Pending to Active'),
    marker('2026-03-09T16:00:00Z', 'Payouts enabled'),
  ],
}

describe('the curve', () => {
  it('begins with the first money and goes on until now', () => {
    const { points = [] } = curveOf(history, [], 'all', now) ?? {}
    expect(points[0]).toMatchObject({ at: Date.parse('2026-01-02T09:00:00Z'), balance: 1_000_000 })
    expect(points.at(-1)).toMatchObject({ at: now, balance: 990_000 })
  })

  it('begins a range with the balance that stood at its edge', () => {
    const { points = [] } = curveOf(history, [], '7d', now) ?? {}
    expect(points[0]).toMatchObject({ at: now - 7 * 86_400_000, balance: 950_000 })
    expect(points).toHaveLength(5)
  })

  it('has only the marks of its range', () => {
    expect(curveOf(history, [], '7d', now)?.markers.map(({ label }) => label)).toEqual(['Payouts enabled'])
    expect(curveOf(history, [], 'all', now)?.markers).toHaveLength(2)
  })

  it('is not there for an account that never had money', () => {
    expect(curveOf({ points: [point('2026-01-01T09:00:00Z', '0.00')], markers: [] }, [], 'all', now)).toBeUndefined()
    expect(curveOf({ points: [], markers: [] }, [], 'all', now)).toBeUndefined()
  })

  it('shows an account that fell to nothing until the end', () => {
    const lost = {
      points: [point('2026-03-01T09:00:00Z', '100.00'), point('2026-03-02T09:00:00Z', '0.00')],
      markers: [],
    }
    expect(curveOf(lost, [], 'all', now)?.points.map(({ balance }) => balance)).toEqual([10_000, 0, 0])
  })
})

describe('its figures', () => {
  const curve = curveOf(history, [], 'all', now) ?? { points: [], markers: [] }

  it('are one row a day on which the balance changed', () => {
    expect(daysOf(curve).map(({ closing, result }) => [closing, result])).toEqual([
      [1_000_000, 0],
      [950_000, -50_000],
      [980_000, 30_000],
      [990_000, 10_000],
    ])
  })

  it('name the best and the worst day, and the deepest fall', () => {
    expect(figuresOf(curve)).toMatchObject({
      result: -10_000,
      best: { result: 30_000 },
      worst: { result: -50_000 },
      winningDays: 2,
      losingDays: 1,
      deepestFall: 50_000,
    })
  })

  it('name no best or worst day where there was none', () => {
    const flat = curveOf({ points: [point('2026-03-01T09:00:00Z', '100.00')], markers: [] }, [], 'all', now) ?? curve
    expect(figuresOf(flat)).toMatchObject({
      best: undefined,
      worst: undefined,
      winningDays: 0,
      losingDays: 0,
      deepestFall: 0,
      result: 0,
    })
  })
})

describe('what was traded', () => {
  const phase = { ...marker('2026-03-06T09:00:00Z', 'Phase: Phase 1 to Funded'), type: 'PhaseChanged' }
  const paid = {
    points: [
      point('2026-03-01T09:00:00Z', '10000.00'),
      point('2026-03-02T09:00:00Z', '10600.00'),
      point('2026-03-06T09:00:00Z', '10000.00'),
      point('2026-03-07T09:00:00Z', '9900.00'),
      point('2026-03-08T09:00:00Z', '10500.00'),
      point('2026-03-09T09:00:00Z', '10100.00'),
    ],
    markers: [phase],
  }
  const curve = curveOf(paid, [{ at: Date.parse('2026-03-08T12:00:00Z'), cents: 40_000 }], 'all', now) ?? {
    points: [],
    markers: [],
  }

  it('falls by losses only, not by a payout or a new phase', () => {
    expect(tradedOf(curve).map(({ cents }) => cents)).toEqual([0, 60_000, 60_000, 50_000, 110_000, 110_000, 110_000])
  })

  it('begins at nothing in every range, and ends at the result of the range', () => {
    for (const range of ['7d', '30d', 'all'] as const) {
      const part = curveOf(paid, [{ at: Date.parse('2026-03-08T12:00:00Z'), cents: 40_000 }], range, now) ?? curve
      expect(tradedOf(part)[0]?.cents).toBe(0)
      expect(tradedOf(part).at(-1)?.cents).toBe(figuresOf(part).result)
    }
  })

  it('differs from the balance only after a payout or a new phase', () => {
    expect(movedBesidesTrading(curve)).toBe(true)
    expect(movedBesidesTrading(curveOf(history, [], 'all', now) ?? curve)).toBe(false)
  })
})

function point(at: string, balance: string) {
  return { at, number: 1, balance, profitLoss: '0.00' }
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
