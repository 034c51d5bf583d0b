import { expect, it } from 'vitest'
import { formatDollars, formatLimit, formatMoney, formatProfit, signOf, toneOf } from './money.ts'

it.each([
  ['250.00', '$250.00'],
  ['0.00', '$0.00'],
  ['1234567.80', '$1,234,567.80'],
  ['-12.50', '-$12.50'],
  ['7', '$7.00'],
  [' 7.5 ', '$7.50'],
  [1234.5, '$1,234.50'],
  ['999999.995', '$1,000,000.00'],
  ['0.004', '$0.00'],
  ['-0.00', '$0.00'],
  [-0.001, '$0.00'],
  [1e20, '$100,000,000,000,000,000,000.00'],
  // More than a float holds exactly.
  ['90071992547409931.27', '$90,071,992,547,409,931.27'],
])('writes %j as %s: always two places', (amount, text) => expect(formatMoney(amount)).toBe(text))

it.each([
  [''],
  ['  '],
  ['abc'],
  ['1e3'],
  ['NaN'],
  ['Infinity'],
  ['1,000.00'],
  ['$5'],
  ['.'],
  [null],
  [undefined],
  [Number.NaN],
  [Number.POSITIVE_INFINITY],
])('shows $0.00 for %j, which is no number', (amount) => expect(formatMoney(amount)).toBe('$0.00'))

it.each([
  ['5% / $500', '5% / $500'],
  ['5% / $5000', '5% / $5,000'],
  ['10% / $1,234.5', '10% / $1,234.5'],
  ['-$1004.00 in all', '-$1,004.00 in all'],
  ['1000', '$1,000.00'],
  ['8%', '8%'],
  ['$12345,6', '$12345,6'],
  ['As agreed', 'As agreed'],
  ['', ''],
  [null, null],
])('writes the limit %j as %j', (limit, text) => expect(formatLimit(limit)).toBe(text))

it('puts a plus sign only before amounts above zero', () => {
  expect(formatProfit('0.01')).toBe('+$0.01')
  expect(formatProfit('0.00')).toBe('$0.00')
  expect(formatProfit('-0.01')).toBe('-$0.01')
  expect(formatProfit(null)).toBe('$0.00')
})

it('counts zero and invalid numbers as no profit', () => {
  expect(['0.01', '0.00', '-5', 'abc', null, undefined].map((amount) => signOf(amount))).toEqual([
    'profit',
    'loss',
    'loss',
    'loss',
    'loss',
    'loss',
  ])
})

it('counts nothing as neither good nor bad', () => {
  expect(['0.01', '-0.01', '0.00', '-0.00', 'abc', null].map((amount) => toneOf(amount))).toEqual([
    'good',
    'bad',
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

it('leaves out the cents of whole dollars, and rounds nothing', () => {
  expect([950_000, 950_050, -1_234_549].map(formatDollars)).toEqual(['$9,500', '$9,500.50', '-$12,345.49'])
})
