import { expect, it } from 'vitest'
import { createDailyCount } from './daily-count.ts'

it('a daily count says since when it counts, and begins again at midnight UTC', () => {
  let now = Date.parse('2026-03-14T22:30:00Z')
  const errors = createDailyCount(() => now)
  errors.add()
  errors.add()
  now = Date.parse('2026-03-14T23:59:59.999Z')
  expect(errors.today()).toEqual({ count: 2, since: Date.parse('2026-03-14T22:30:00Z') })
  now = Date.parse('2026-03-16T00:00:00Z')
  expect(errors.today()).toEqual({ count: 0, since: now })
  errors.add()
  expect(errors.today().count).toBe(1)
})
