import { afterEach, describe, expect, it } from 'vitest'
import { timeZone } from '@/time-zone.ts'
import { endOfMoment } from './moment-text.ts'

const now = new Date('2026-11-25T10:00:00Z')
const read = (text: string) => endOfMoment(text, now)?.toISOString()

describe('a typed moment', () => {
  const before = process.env['TZ']
  afterEach(() => {
    timeZone.set('utc')
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  })

  it.each([
    ['3 Nov 12:00', '2026-11-03T12:00:59.999Z'],
    [' 3 november 2026, 12:00 ', '2026-11-03T12:00:59.999Z'],
    ['Nov 3, 2026 12:00', '2026-11-03T12:00:59.999Z'],
    ['3 Nov 2026, 14:07:32 UTC', '2026-11-03T14:07:32.999Z'],
    ['3 Nov 14:07 UTC+5:30', '2026-11-03T08:37:59.999Z'],
    ['3 Nov 14:07 UTC-3', '2026-11-03T17:07:59.999Z'],
    ['2026-11-03 12:00', '2026-11-03T12:00:59.999Z'],
    ['2026-11-03T12:00:05Z', '2026-11-03T12:00:05.999Z'],
    ['3 Nov', '2026-11-03T23:59:59.999Z'],
    // Today has begun, so it is this year's.
    ['25 Nov', '2026-11-25T23:59:59.999Z'],
    ['3 Dec 12:00', '2025-12-03T12:00:59.999Z'],
    ['29 Feb', '2024-02-29T23:59:59.999Z'],
  ])('%j is %s', (text, moment) => expect(read(text)).toBe(moment))

  it.each([
    '',
    'yesterday',
    '31 Nov',
    '30 Feb 2026',
    '3 Nov 25:00',
    '3 Nov 12:60',
    '3 Foo',
    '12:00',
    '2026-13-01',
    '3',
  ])('%j is none', (text) => expect(read(text)).toBeUndefined())

  it('is by the chosen clock, unless it names a zone', () => {
    process.env['TZ'] = 'Asia/Tokyo'
    timeZone.set('local')
    expect(read('3 Nov 12:00')).toBe('2026-11-03T03:00:59.999Z')
    expect(read('3 Nov 12:00 UTC')).toBe('2026-11-03T12:00:59.999Z')
  })
})
