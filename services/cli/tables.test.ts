import { describe, expect, it } from 'vitest'
import { formatAge, formatBytes, formatMoment, formatTable } from './tables.ts'

describe('a table for a terminal', () => {
  it('has aligned columns, numbers to the right, and no quotes', () => {
    const rows = [
      { name: 'users', position: 1042, state: 'up to date' },
      { name: 'admin-keys', position: 7, state: '' },
    ]
    expect(formatTable(rows).split('\n')).toEqual([
      'name        position  state',
      'users           1042  up to date',
      'admin-keys         7',
    ])
  })

  it('is nothing without rows', () => expect(formatTable([])).toBe(''))
})

it('ages, moments and sizes are in the words people use', () => {
  expect([0, 89_000, 90_000, 5_399_000, 5_400_000, 172_799_000, 172_800_000].map(formatAge)).toEqual([
    '0 s',
    '89 s',
    '2 min',
    '90 min',
    '2 h',
    '48 h',
    '2 days',
  ])
  expect(formatMoment(Date.UTC(2026, 10, 22, 19, 50, 59), Date.UTC(2026, 10, 22, 19, 54))).toBe(
    '2026-11-22 19:50 UTC, 3 min ago',
  )
  expect([0, 999, 1_000, 12_345_678, 50e9, 3e15].map(formatBytes)).toEqual([
    '0.0 kB',
    '1.0 kB',
    '1.0 kB',
    '12.3 MB',
    '50.0 GB',
    '3000.0 TB',
  ])
})
