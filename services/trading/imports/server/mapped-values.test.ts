import { describe, expect, it } from 'vitest'
import { amountText } from '#services/trading/statements/server/values/decimal.ts'
import { amountIn, timeReader } from './mapped-values.ts'
import { patternFault } from '../time-pattern-vocabulary.ts'

const read = (decimal: '.' | ',', cell: string) => {
  try {
    return amountText(amountIn(cell, decimal))
  } catch {
    return 'refused'
  }
}

it.each([
  ['.', '1,234.50', '1234.50'],
  ['.', '1234.5', '1234.50'],
  ['.', '-1 234 567', '-1234567.00'],
  ['.', "1'234.50", '1234.50'],
  ['.', '1,23.50', 'refused'],
  ['.', '1,234 567.00', 'refused'],
  ['.', '1.234,50', 'refused'],
  ['.', '0.123', 'refused'],
  ['.', '(5.00)', 'refused'],
  ['.', '$5.00', 'refused'],
  [',', '1.234,50', '1234.50'],
  [',', '-12,5', '-12.50'],
  [',', '1.234.567,00', '1234567.00'],
  [',', '1234.50', 'refused'],
] as const)('an amount with "%s" as its mark: %s', (decimal, cell, expected) =>
  expect(read(decimal, cell)).toBe(expected),
)

const time = (pattern: string | undefined, zone: string | undefined, cell: string) => {
  try {
    return Object.values(timeReader(pattern, zone)(cell))[0]
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}

describe('times', () => {
  it('without a pattern are RFC 3339 with their zone, or a date', () => {
    expect(time(undefined, undefined, '2026-11-02T09:30:00+01:00')).toBe('2026-11-02T09:30:00+01:00')
    expect(time(undefined, undefined, '2026-11-02')).toBe('2026-11-02')
    for (const cell of ['2026-11-02T09:30:00', '2026-11-02 09:30', '02.11.2026', '11/02/2026'])
      expect(time(undefined, undefined, cell)).toMatch(/^expected a time with its zone/)
  })

  it('by a pattern are local times of the zone', () => {
    const platform = (cell: string) => time('YYYY.MM.DD HH:mm:ss', 'Europe/Prague', cell)
    expect(platform('2026.11.02 09:30:00')).toBe('2026-11-02T08:30:00.000Z')
    expect(platform('2026.7.2 9:30:00')).toBe('2026-07-02T07:30:00.000Z')
    expect(platform('2026.02.30 09:30:00')).toBe('there is no such date')
    expect(platform('2026.13.01 09:30:00')).toBe('there is no such date')
    expect(platform('2026.11.02 24:00:00')).toBe('there is no such time')
    expect(platform('2026-11-02 09:30:00')).toMatch(/^expected a time like/)
    expect(time('DD/MM/YYYY', undefined, '02/11/2026')).toBe('2026-11-02')
    expect(time('dd.MM.yyyy HH:mm', 'UTC', '02.11.2026 09:30')).toBe('2026-11-02T09:30:00.000Z')
  })

  it('that come twice or never, where the clock is changed, are refused', () => {
    const prague = (cell: string) => time('YYYY-MM-DD HH:mm:ss', 'Europe/Prague', cell)
    expect(prague('2026-03-29 02:30:00')).toBe(
      'this local time comes never in Europe/Prague, where the clock is changed',
    )
    expect(prague('2026-10-25 02:30:00')).toBe(
      'this local time comes twice in Europe/Prague, where the clock is changed',
    )
    expect(prague('2026-03-29 03:00:00')).toBe('2026-03-29T01:00:00.000Z')
    expect(prague('2026-10-25 03:00:00')).toBe('2026-10-25T02:00:00.000Z')
    expect(prague('2026-10-25 01:59:59')).toBe('2026-10-24T23:59:59.000Z')
  })

  it.each([
    ['YYYY.MM.DD HH:mm:ss', null],
    ['DD/MM/YYYY', null],
    ['YYYY-MM-DDTHH:mm', null],
    ['HH:mm', 'expected YYYY, MM and DD'],
    ['YYYY-MM-DD HH', 'expected HH and mm together'],
    ['DD MMM YYYY', 'expected only YYYY, MM, DD, HH, mm, ss, SSS and separators'],
    ['YYYY-MM-DD DD', 'expected each part once'],
  ])('have a pattern that says all: %s', (pattern, fault) => expect(patternFault(pattern)).toBe(fault))
})
