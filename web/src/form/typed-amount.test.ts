import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ambiguityOf, limitOf, problemOfLimit, readTypedAmount } from './typed-amount.ts'

/** The texts in which each country writes one amount: whole dollars in groups, and cents. */
const thousands = [',', '.', ' ', '\u00a0', '\u202f', '’', "'", ''] as const

describe('an amount as people type it', () => {
  it.each([
    ['10,50', '10.50'],
    ['10.50', '10.50'],
    ['7,5', '7.5'],
    ['1000', '1000'],
    ['1.000,50', '1000.50'],
    ['1,000.50', '1000.50'],
    ["1'000.50", '1000.50'],
    ['1’000,50', '1000.50'],
    ['1 000,50', '1000.50'],
    ['1\u00a0000.50', '1000.50'],
    ['1\u202f000', '1000'],
    ['1.000.000', '1000000'],
    ['1,234,567.8', '1234567.8'],
    ['1,00,000', '100000'],
    ['12,34,567.50', '1234567.50'],
    ['$1,350.00', '1350.00'],
    ['US$ 250', '250'],
    ['250,00 USD', '250.00'],
    ['-25,00', '-25.00'],
    ['−$12.50', '-12.50'],
    ['$-12.50', '-12.50'],
    [' 250 ', '250'],
    // As phones with Arabic, Persian, Hindi and Japanese keyboards write it.
    ['٢٥٠', '250'],
    ['١٬٢٣٤٫٥٠', '1234.50'],
    ['۱۲,۵۰', '12.50'],
    ['१,२३,४५६.७५', '123456.75'],
    ['＄１，０００．５０', '1000.50'],
    // No group of thousands begins with a zero or has four digits before it: three places are left for the call to refuse.
    ['0.125', '0.125'],
    ['1234.567', '1234.567'],
    ['1,000.500', '1000.500'],
  ])('%j is %s', (typed, amount) => expect(readTypedAmount(typed)).toEqual({ amount }))

  it.each([
    ['1.000', ['1.000', '1000']],
    ['1,000', ['1.000', '1000']],
    ['$12,500', ['12.500', '12500']],
    ['١٫٠٠٠', ['1.000', '1000']],
    ['-250.000', ['-250.000', '-250000']],
  ])('%j has two readings', (typed, readings) => expect(readTypedAmount(typed)).toEqual({ readings }))

  it.each([
    ...[
      '',
      ' ',
      '-',
      '$',
      '.',
      ',',
      '5.',
      '5,',
      '.5',
      ',50',
      '1e3',
      '0x10',
      '--5',
      '-$-5',
      '1_000',
      'five',
      '٣²',
      '+5',
    ],
    ...['1,0,0', '1.00.00', '10 50', '1,000,50', '1.000.50', "1'00.50", '1,000 000', '1 000.000,5', '1 2,3 4', '5 EUR'],
  ])('%j is no amount', (typed) => expect(readTypedAmount(typed)).toBeUndefined())

  it('is read alike in the writing of each country', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 99_999_999 }),
        fc.integer({ min: 0, max: 99 }),
        fc.constantFrom(...thousands),
        fc.constantFrom('.', ','),
        (dollars, cents, separator, mark) => {
          fc.pre(separator !== mark)
          const fraction = String(cents).padStart(2, '0')
          const typed = `${String(dollars).replace(/\B(?=(?:\d{3})+$)/g, separator)}${mark}${fraction}`
          expect(readTypedAmount(typed)).toEqual({ amount: `${dollars}.${fraction}` })
        },
      ),
    )
  })

  it('limits a list, or says why it does not', () => {
    expect(['', '1.000,50', '5', '1.000', 'x', '5.123', '-5', '1234567890'].map((typed) => limitOf(typed))).toEqual([
      ...[undefined, '1000.50', '5', undefined, undefined, undefined, undefined, undefined],
    ])
    expect(['', '5', '1.000', 'x', '-5'].map(problemOfLimit)).toEqual([
      ...[undefined, undefined, ambiguityOf('1.000')],
      ...['Not an amount, so it does not filter', 'Not an amount, so it does not filter'],
    ])
  })

  it('has both readings named, and what to type', () => {
    expect(ambiguityOf('1.000')).toBe('“1.000” can mean $1.00 or $1,000.00. Please type it with two decimal places')
    expect(ambiguityOf(' 12,345')).toBe(
      '“12,345” can mean $12.345 or $12,345.00. Please type it with two decimal places',
    )
    expect([ambiguityOf('10,50'), ambiguityOf('x')]).toEqual([undefined, undefined])
  })
})
