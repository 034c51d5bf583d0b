import { expect, it } from 'vitest'
import { weeksOf } from './weeks.ts'

const day = (date: number, newAccounts: number, approvedAmount = '0.00') => ({
  day: `2026-03-${String(date).padStart(2, '0')}`,
  newAccounts,
  approvedPayouts: approvedAmount === '0.00' ? 0 : 1,
  approvedAmount,
})

it('weeks end with the last day, and days before the first whole week are left out', () => {
  const days = Array.from({ length: 16 }, (_, index) =>
    day(index + 1, 1, index === 15 ? '0.10' : index === 14 ? '0.20' : '0.00'),
  )
  expect(weeksOf(days)).toEqual([
    { from: '2026-03-03', to: '2026-03-09', newAccounts: 7, approvedPayouts: 0, approvedCents: 0 },
    { from: '2026-03-10', to: '2026-03-16', newAccounts: 7, approvedPayouts: 2, approvedCents: 30 },
  ])
  expect(weeksOf([])).toEqual([])
})
