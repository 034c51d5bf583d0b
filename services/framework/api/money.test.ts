import { centsOf, toDecimal } from '#services/rules/money.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decimalText, Money, money } from './money.ts'

const amount = money({ subject: 'Amount', most: 100_000_000, positive: true })
const balance = money({ subject: 'Balance', most: 1_000_000_000_000 })

const anyCents = fc.integer({ min: -100_000_000_000_000, max: 100_000_000_000_000 })

function messageOf(schema: typeof amount, value: unknown): string | undefined {
  return schema.safeParse(value).error?.issues[0]?.message
}

describe('money', () => {
  it('survives the way to text and back', () => {
    fc.assert(
      fc.property(anyCents, (cents) => {
        expect(centsOf(toDecimal(cents))).toBe(cents)
        expect(balance.parse(toDecimal(cents))).toBe(cents)
      }),
    )
  })

  it('is always written with two decimal places', () => {
    fc.assert(fc.property(anyCents, (cents) => Money.safeParse(toDecimal(cents)).success))
    expect([0, 5, 50, 250_00, -12_50, -1].map(toDecimal)).toEqual(['0.00', '0.05', '0.50', '250.00', '-12.50', '-0.01'])
  })

  it('never loses a cent to floating point', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999_999 }), fc.integer({ min: 0, max: 99 }), (dollars, cents) => {
        const expected = dollars * 100 + cents
        const text = `${dollars}.${String(cents).padStart(2, '0')}`
        expect(balance.parse(text)).toBe(expected)
        expect(balance.parse(Number(text))).toBe(expected)
      }),
    )
    // Multiplied by 100 as floats, these miss the whole cent.
    expect(['1.15', '8.20', '19.99', '1.005'].map((text) => balance.safeParse(text).data)).toEqual([
      115,
      820,
      1999,
      undefined,
    ])
  })

  it('is parsed from text and from numbers', () => {
    const read: [string | number, number][] = [
      ['250', 250_00],
      ['250.5', 250_50],
      ['250.50', 250_50],
      ['007.10', 7_10],
      ['-12.50', -12_50],
      ['-0.00', 0],
      [0.1, 10],
      [250, 250_00],
      [-0, 0],
    ]
    for (const [value, cents] of read) expect(balance.parse(value), String(value)).toBe(cents)
  })

  it.each([
    '',
    ' ',
    'NaN',
    'Infinity',
    '-Infinity',
    '+5',
    '.5',
    '5.',
    '1,000',
    '1.000,00',
    ' 5',
    '5 ',
    '5\n',
    '1e3',
    '0x10',
    '--5',
    '1_000',
    '٣',
    '$5',
    'five',
    '-',
    NaN,
    Infinity,
    -Infinity,
    undefined,
    null,
    true,
    {},
    [],
    ['5'],
  ])('refuses %j as not a number', (value) => {
    expect(messageOf(amount, value)).toBe('Amount must be a valid number')
    expect(messageOf(balance, value)).toBe('Balance must be a valid number')
  })

  it.each([
    ['0', 'Amount must be greater than 0'],
    ['0.00', 'Amount must be greater than 0'],
    ['0.000', 'Amount must be greater than 0'],
    ['-1', 'Amount must be greater than 0'],
    ['-0.001', 'Amount must be greater than 0'],
    [-1e-9, 'Amount must be greater than 0'],
    ['0.001', 'Amount must have at most 2 decimal places'],
    ['1.000', 'Amount must have at most 2 decimal places'],
    [0.1 + 0.2, 'Amount must have at most 2 decimal places'],
    [1e-9, 'Amount must have at most 2 decimal places'],
    ['100000000.001', 'Amount must have at most 2 decimal places'],
    ['100000000.01', 'Amount must be at most 100,000,000'],
    ['9'.repeat(1000), 'Amount must be at most 100,000,000'],
    [1e21, 'Amount must be at most 100,000,000'],
    [Number.MAX_VALUE, 'Amount must be at most 100,000,000'],
  ])('refuses %j with "%s"', (value, message) => expect(messageOf(amount, value)).toBe(message))

  it('accepts the smallest and the largest amounts', () => {
    expect(amount.parse('0.01')).toBe(1)
    expect(amount.parse('100000000')).toBe(10_000_000_000)
    expect(amount.parse('100000000.00')).toBe(10_000_000_000)
    expect(balance.parse('-1000000000000.00')).toBe(-100_000_000_000_000)
    expect(messageOf(balance, '1000000000000.01')).toBe('Balance must be at most 1,000,000,000,000')
    expect(messageOf(balance, '-1000000000000.01')).toBe('Balance must be at least -1,000,000,000,000')
  })

  it('refuses fractions of a cent and unsafe integers', () => {
    for (const text of ['', '1.005', '1e3', '9'.repeat(20)]) expect(() => centsOf(text), text).toThrow(RangeError)
    for (const cents of [0.5, NaN, Infinity, 2 ** 53]) expect(() => toDecimal(cents), String(cents)).toThrow(RangeError)
  })
})

describe('the decimal text of a number', () => {
  it('parses to the same number and has no exponent', () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
        const text = decimalText(value)
        expect(text).toMatch(/^-?\d+(\.\d+)?$/)
        expect(Number(text)).toBe(value === 0 ? 0 : value)
      }),
    )
    expect([1e21, 1.5e21, 1e-7, -1.25e-7].map(decimalText)).toEqual([
      '1000000000000000000000',
      '1500000000000000000000',
      '0.0000001',
      '-0.000000125',
    ])
  })
})
