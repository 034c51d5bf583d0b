import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toDecimal, cents, toCents } from './money.ts'
import { anyDecimal } from '#test-support/given-when-then.ts'

describe('money', () => {
  it('goes to its decimal string and back without losing a cent', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (amount) => {
        const text = z.encode(cents, toCents(amount))
        expect(text).toMatch(/^-?\d+\.\d{2}$/)
        expect(z.decode(cents, text)).toBe(amount)
      }),
    )
  })

  it('comes from its decimal string and back without a letter changed', () => {
    fc.assert(
      fc.property(anyDecimal, (text) => {
        expect(z.encode(cents, z.decode(cents, text))).toBe(text)
      }),
    )
  })

  it.each([
    [0, '0.00'],
    [1, '0.01'],
    [-1, '-0.01'],
    [10, '0.10'],
    [-100, '-1.00'],
    [25_000, '250.00'],
    [123_456_789, '1234567.89'],
    [Number.MAX_SAFE_INTEGER, '90071992547409.91'],
  ])('writes %d cents as %s', (amount, text) => {
    expect(toDecimal(amount)).toBe(text)
    expect(z.decode(cents, text)).toBe(amount)
  })

  it('knows no negative zero', () => {
    expect(z.decode(cents, '-0.00')).toBe(0)
    expect(toDecimal(-0)).toBe('0.00')
    expect(toCents(-0)).toBe(0)
  })

  it.each([
    '',
    '1',
    '1.0',
    '1.000',
    '.50',
    '1,00',
    '+1.00',
    '1e3',
    ' 1.00',
    '1.00 ',
    '--1.00',
    '1.00\n',
    'NaN',
    '٣.٠٠',
    '0x1.00',
  ])('does not read %j', (text) => {
    expect(cents.safeParse(text).success).toBe(false)
  })

  it.each([1, null, undefined, {}, ['1.00'], true])('does not read %j, which is no text', (value) => {
    expect(cents.safeParse(value).success).toBe(false)
  })

  it('does not read what is too large to be counted exactly', () => {
    expect(cents.safeParse('90071992547409.92').success).toBe(false)
    expect(cents.safeParse(`${'9'.repeat(400)}.00`).success).toBe(false)
  })

  it.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER + 1])(
    'does not take %d for a number of cents',
    (amount) => {
      expect(() => toCents(amount)).toThrow(z.ZodError)
    },
  )

  it.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300])('does not write %d cents into an event', (amount) => {
    expect(z.safeEncode(z.object({ amount: cents }), Object.assign({ amount: toCents(0) }, { amount })).success).toBe(
      false,
    )
  })
})
