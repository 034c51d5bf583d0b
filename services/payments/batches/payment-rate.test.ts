import { describe, expect, it } from 'vitest'
import { assertPlausibleRate, bothWays } from './payment-rate.ts'

const refusalOf = (last: string | null, rate: string) => {
  try {
    assertPlausibleRate(last, rate)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe('the rate of a batch', () => {
  it.each([
    [null, '1.0850'],
    ['0.92', '0.92'],
    ['0.92', '0.99'],
    ['0.92', '0.84'],
    ['1', '1'],
    ['1', '1.05'],
    ['0.98', '0.99'],
  ])('after %s may be %s', (last, rate) => expect(refusalOf(last, rate)).toBeUndefined())

  it.each([
    ['0.92', '1.02', 'the other way round'],
    ['0.92', '0.82', '10.9 % from it'],
    ['0.92', '1.085', 'the other way round'],
    // Within 10 %, and still nearer to the inverse.
    ['0.98', '1.02', 'the other way round'],
    ['0.96', '1.03', 'the other way round'],
    ['0.92', '92', '% from it'],
  ])('after %s is asked about at %s', (last, rate, why) => expect(refusalOf(last, rate)).toContain(why))

  it('is said in both directions', () => expect(bothWays('0.92')).toBe('1 EUR = 1.0870 USD (1 USD = 0.92 EUR)'))
})
