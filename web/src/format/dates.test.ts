import { afterEach, describe, expect, it } from 'vitest'
import { timeZone } from '@/time-zone.ts'
import { formatDate, timeSince } from './dates.ts'

const moment = '2026-03-04T14:07:32.500Z'

it('writes a moment in each of the ways of the product, in UTC', () => {
  expect(formatDate(moment, 'day')).toBe('2026-03-04')
  expect(formatDate(moment, 'words')).toBe('Mar 04, 2026')
  expect(formatDate(moment, 'date')).toBe('4 Mar 2026')
  expect(formatDate(moment, 'short')).toBe('4 Mar')
  expect(formatDate(moment, 'stamp')).toBe('4 Mar 14:07 UTC')
  expect(formatDate(moment, 'exact')).toBe('4 Mar 2026, 14:07:32 UTC')
  expect(formatDate(new Date(moment), 'exact')).toBe('4 Mar 2026, 14:07:32 UTC')
  expect(formatDate('2026-03-04T23:30:00-05:00', 'stamp')).toBe('5 Mar 04:30 UTC')
})

it('knows every month', () => {
  const months = Array.from({ length: 12 }, (_, month) =>
    formatDate(new Date(Date.UTC(2026, month, 1)), 'words').slice(0, 3),
  )
  expect(months).toEqual(['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'])
})

describe('local time', () => {
  const before = process.env['TZ']
  afterEach(() => {
    timeZone.set('utc')
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  })

  it.each([
    ['Asia/Kolkata', '4 Mar 19:37 UTC+5:30'],
    ['Asia/Tokyo', '4 Mar 23:07 UTC+9'],
    ['America/New_York', '4 Mar 09:07 UTC-5'],
    ['Africa/Abidjan', '4 Mar 14:07 UTC'],
  ])('in %s names its offset, on demand', (place, text) => {
    process.env['TZ'] = place
    expect(formatDate(moment, 'stamp')).toBe('4 Mar 14:07 UTC')
    expect(formatDate('2026-03-04', 'words')).toBe('Mar 04, 2026')
    timeZone.set('local')
    expect(formatDate(moment, 'stamp')).toBe(text)
    expect(formatDate(moment, 'stamp', 'utc')).toBe('4 Mar 14:07 UTC')
    expect(formatDate('2026-12-31', 'words')).toBe('Dec 31, 2026')
  })
})

it('shows a moment in UTC also in an hour that the clocks here skip', () => {
  const before = process.env['TZ']
  process.env['TZ'] = 'America/New_York'
  try {
    expect(formatDate('2026-03-08T02:30:00Z', 'stamp')).toBe('8 Mar 02:30 UTC')
  } finally {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  }
})

it.each([
  [''],
  ['yesterday'],
  ['2026-02-30'],
  ['2026-02-30T10:00:00Z'],
  ['March 7, 2026'],
  [null],
  [undefined],
  [new Date(Number.NaN)],
])('shows N/A for %j, which is no date', (date) => expect(formatDate(date, 'day')).toBe('N/A'))

it.each([
  ['2026-03-03T13:50:00Z', 'less than an hour'],
  ['2026-03-03T13:07:00Z', '1 hour'],
  ['2026-03-01T15:07:00Z', '47 hours'],
  ['2026-02-12T14:07:00Z', '19 days'],
  ['2026-03-03T14:08:00Z', 'less than an hour'],
])('says how long ago %s is', (at, words) => {
  expect(timeSince(at, Date.parse('2026-03-03T14:07:00Z'))).toBe(words)
})
