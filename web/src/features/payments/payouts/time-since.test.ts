import { expect, it } from 'vitest'
import { timeSince } from './time-since.ts'

it.each([
  ['2026-03-03T13:50:00Z', 'less than an hour'],
  ['2026-03-03T13:07:00Z', '1 hour'],
  ['2026-03-01T15:07:00Z', '47 hours'],
  ['2026-02-12T14:07:00Z', '19 days'],
  ['2026-03-03T14:08:00Z', 'less than an hour'],
])('says how long ago %s is', (at, words) => {
  expect(timeSince(at, Date.parse('2026-03-03T14:07:00Z'))).toBe(words)
})
