import { expect, it } from 'vitest'
import { sumOfDays, weeksOf } from './weeks.ts'

const days = Array.from({ length: 16 }, (_, index) => ({
  ...{ day: `2026-03-${String(index + 1).padStart(2, '0')}`, newAccounts: 1 },
  ...{ approvedPayouts: index >= 14 ? 1 : 0, approvedAmount: index === 15 ? 10 : index === 14 ? 20 : 0 },
}))

it('weeks end with the last day, and days before the first whole week are left out', () => {
  expect(weeksOf(days)).toEqual([
    { from: '2026-03-03', to: '2026-03-09', newAccounts: 7, approvedPayouts: 0, approvedAmount: 0 },
    { from: '2026-03-10', to: '2026-03-16', newAccounts: 7, approvedPayouts: 2, approvedAmount: 30 },
  ])
  expect(weeksOf([])).toEqual([])
})

it('days bring together what each of them brought', () => {
  expect(sumOfDays(days)).toEqual({ newAccounts: 16, approvedPayouts: 2, approvedAmount: 30 })
})
