import { expect, it } from 'vitest'
import { centsOf, decimalIn, decimalMarkOf, plainText, volumeText } from './decimal.ts'
import { dateOrderOf, timeIn } from './times.ts'

it.each([
  ['1 234.50', '.', '1234.50'],
  ["1'234.50", '.', '1234.50'],
  ['1\u00a0234,5', ',', '1234.5'],
  ['1\u202f234\u202f567,5', ',', '1234567.5'],
  ['1.234.567', ',', '1234567'],
  ['$1,234.50', '.', '1234.50'],
  ['$(400.00)', '.', '-400.00'],
  ['($75.90)', '.', '-75.90'],
  ['-$18.98', '.', '-18.98'],
  ['\u221218.98', '.', '-18.98'],
  ['90.00 $', '.', '90.00'],
  ['0,62 \u20ac', ',', '0.62'],
  ['+5', '.', '5'],
])('%s is a number', (cell, mark, text) => {
  const number = decimalIn(cell, mark === '.' ? '.' : ',')
  expect(number && plainText(number)).toBe(text)
})

it.each(['', '3O.50', '1,23.4', '1 23', '12 345,6.7', '(-5)', '$5 $', '1,2345', '--5', '1e5', '(5', '01,234'])(
  '"%s" is none',
  (cell) => expect(decimalIn(cell, '.')).toBeNull(),
)

it('rounds half away from zero, once', () => {
  expect(
    [0.125, -0.125, 0.1249].map((value) => centsOf(decimalIn(String(value), '.') ?? { units: 0n, decimals: 0 })),
  ).toEqual([13n, -13n, 12n])
})

it('writes volumes with two decimals or more', () => {
  expect(
    ['0.1', '0.015', '2', '1.50000', '10'].map((cell) =>
      volumeText(decimalIn(cell, '.') ?? { units: 0n, decimals: 0 }),
    ),
  ).toEqual(['0.10', '0.015', '2.00', '1.50', '10.00'])
})

it('decides the decimal mark of a file', () => {
  expect(decimalMarkOf(['5', '1.08410', '1,234'], null)).toBe('.')
  expect(decimalMarkOf(['5', '12,5', '1.234'], null)).toBe(',')
  expect(decimalMarkOf(['217.131', '5'], null)).toBe('.')
  expect(decimalMarkOf(['1,234', '5'], null)).toMatchObject({ fault: /decimal comma/ })
  expect(decimalMarkOf(['1,23', '1.23'], null)).toMatchObject({ fault: /others a decimal comma/ })
  expect(decimalMarkOf(['1,23', '1.23'], ',')).toBe(',')
})

it('decides the order of dates of a file', () => {
  expect(dateOrderOf(['01/02/2026 10:00', '13/02/2026 10:00'], null)).toBe('day-first')
  expect(dateOrderOf(['01/13/26'], null)).toBe('month-first')
  expect(dateOrderOf(['2026-01-02 10:00'], null)).toBe('year-first')
  expect(dateOrderOf(['01/02/2026'], null)).toMatchObject({ fault: /no date/ })
  expect(dateOrderOf(['13/02/2026', '02/13/2026'], null)).toMatchObject({ fault: /both orders/ })
  expect(dateOrderOf(['01/02/2026'], 'day-first')).toBe('day-first')
})

it('reads times as platforms write them', () => {
  const text = (cell: string, order: 'year-first' | 'day-first' | 'month-first' = 'year-first') => {
    const time = timeIn(cell, order)
    return time && [new Date(time.local).toISOString(), time.offset, time.hasTime]
  }
  expect(text('2026.11.02 09:30')).toEqual(['2026-11-02T09:30:00.000Z', null, true])
  expect(text('2026-11-02T09:30:00Z')).toEqual(['2026-11-02T09:30:00.000Z', 0, true])
  expect(text('11/02/2026 09:30:00 -05:00', 'month-first')).toEqual(['2026-11-02T09:30:00.000Z', -300, true])
  expect(text('7/28/2026 9:45:17 PM', 'month-first')).toEqual(['2026-07-28T21:45:17.000Z', null, true])
  expect(text('15/04/2026 15:09:58.271', 'day-first')).toEqual(['2026-04-15T15:09:58.271Z', null, true])
  expect(text('2026-11-02')).toEqual(['2026-11-02T00:00:00.000Z', null, false])
  for (const cell of ['2026.02.30 09:30', '2026.11.02 24:00', '2026.11.02 13:00 PM', '11/02/2026', '2026.11/02'])
    expect(text(cell)).toBeNull()
})
