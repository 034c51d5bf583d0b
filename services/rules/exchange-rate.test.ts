import fc from 'fast-check'
import { expect, it } from 'vitest'
import { exchanged } from './exchange-rate.ts'

it.each([
  [3_200_00, '0.92', 2_944_00],
  [1, '0.999999', 0],
  [100, '0.999999', 99],
  [333, '0.921234', 306],
  [100, '1', 100],
  [100_000_000_00, '9999.999999', 99_999_999_990_000],
])('makes %d cents at %s to %d, rounded down', (cents, rate, euro) => {
  expect(exchanged(cents, rate)).toBe(euro)
})

it.each(['', '0', '0.000000', '-1', '1.', '.5', '1,5', '0.9999999', '12345', '1e3', ' 1', '0x1'])(
  'does not take %j for a rate',
  (rate) => {
    expect(() => exchanged(100, rate)).toThrow(RangeError)
  },
)

it('gives never a cent too much, and never loses a whole one', () => {
  const anyMillionths = fc.integer({ min: 1, max: 9_999_999_999 })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000_000_000 }), anyMillionths, (cents, millionths) => {
      const digits = String(millionths).padStart(7, '0')
      const euro = exchanged(cents, `${digits.slice(0, -6)}.${digits.slice(-6)}`)
      const exact = BigInt(cents) * BigInt(millionths)
      expect(BigInt(euro) * 1_000_000n <= exact && exact < BigInt(euro + 1) * 1_000_000n).toBe(true)
    }),
    { numRuns: 2000 },
  )
})
