import fc from 'fast-check'
import { expect, it } from 'vitest'
import { tradingDays } from './trading-day.ts'

it('reckons with days of UTC as with those of any zone whose clock never jumps', () => {
  const instants = fc.integer({ min: -1_000_000_000_000, max: 4_000_000_000_000 })
  const minutes = fc.integer({ min: 0, max: 24 * 60 - 1 })
  fc.assert(
    fc.property(instants, minutes, (instant, minute) => {
      const startsAt = new Date(minute * 60_000).toISOString().slice(11, 16)
      const [utc, other] = ['UTC', 'Etc/UTC'].map((zone) => tradingDays({ zone, startsAt }))
      const day = utc?.dayOf(instant) ?? Number.NaN
      expect(other?.dayOf(instant)).toBe(day)
      expect(other?.startOf(day)).toBe(utc?.startOf(day))
    }),
  )
})
