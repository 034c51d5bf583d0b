import { expect, it } from 'vitest'
import { formatDate } from './dates.ts'

/** In the reader's time zone; texts without a zone are in it too. */
const moment = '2026-03-04T14:07:32.500'

it('writes a moment in each of the ways of the product', () => {
  expect(formatDate(moment, 'day')).toBe('2026-03-04')
  expect(formatDate(moment, 'words')).toBe('Mar 04, 2026')
  expect(formatDate(moment, 'short')).toBe('4 Mar')
  expect(formatDate(moment, 'stamp')).toBe('4 Mar 14:07')
  expect(formatDate(moment, 'exact')).toBe('4 Mar 2026, 14:07:32')
})

it('knows every month', () => {
  const months = Array.from({ length: 12 }, (_, month) => formatDate(new Date(2026, month, 1), 'words').slice(0, 3))
  expect(months).toEqual(['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'])
})

it('takes a day without a time as that day, in every time zone', () => expect(formatDate('2026-12-31', 'words')).toBe('Dec 31, 2026'))

it('converts a moment to the local time zone', () => {
  const utc = '2026-03-04T14:07:32.500Z'
  expect(formatDate(utc, 'exact')).toBe(formatDate(new Date(utc), 'exact'))
})

it.each([[''], ['yesterday'], ['2026-02-30'], [null], [undefined], [new Date(Number.NaN)]])('shows N/A for %j, which is no date', (date) =>
  expect(formatDate(date, 'day')).toBe('N/A'),
)
