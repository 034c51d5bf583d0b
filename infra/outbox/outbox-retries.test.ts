import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ATTEMPTS, retryDelay, FIRST_DELAY, LONGEST_DELAY, failureReasonOf } from './outbox-retries.ts'

describe('delay before the next try', () => {
  it('doubles, is capped, and is shortened by less than a quarter', () => {
    const failures = fc.integer({ min: 1, max: 2_000 })
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(failures, fc.integer({ min: 1, max: 60_000 }), random, (count, firstDelay, chance) => {
        const full = Math.min(firstDelay * 2 ** (count - 1), LONGEST_DELAY)
        const delay = retryDelay(count, firstDelay, chance)
        expect(delay).toBeGreaterThanOrEqual(Math.round(full * 0.75))
        expect(delay).toBeLessThanOrEqual(full)
      }),
    )
  })

  it('starts with a second and ends with a quarter of an hour', () => {
    expect(retryDelay(1, FIRST_DELAY, 0)).toBe(1_000)
    expect(retryDelay(11, FIRST_DELAY, 0)).toBe(900_000)
  })
})

it.each([0, 0.5, 0.999])('keeps trying for days, a wrong setting of a weekend loses no mail (%d)', (random) => {
  const waits = Array.from({ length: ATTEMPTS - 1 }, (_, failures) => retryDelay(failures + 1, FIRST_DELAY, random))
  const days = waits.reduce((sum, wait) => sum + wait, 0) / (24 * 60 * 60_000)
  expect(days).toBeGreaterThan(3.8)
  expect(days).toBeLessThan(5.2)
})

describe('reason of a failure', () => {
  it('never contains a mail address', () => {
    const part = fc.stringMatching(/^[a-z0-9.+_-]{1,20}$/)
    const around = fc.constantFrom(['<', '>'], [' ', ' '], ['"', '"'], ['', ':'], ['mailto:', ','])
    fc.assert(
      fc.property(part, part, around, (user, host, [before, after]) => {
        expect(failureReasonOf(new Error(`550 ${before}${user}@${host}${after} refused`))).not.toContain(`${user}@`)
        expect(failureReasonOf(`${user}@${host}`)).toBe('[address]')
      }),
    )
  })

  it('is short, and never empty for an error', () => {
    expect(failureReasonOf(new Error('x'.repeat(100_000)))).toHaveLength(500)
    expect(failureReasonOf(new TypeError())).toBe('TypeError')
  })
})
