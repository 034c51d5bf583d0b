import { describe, expect, it } from 'vitest'
import { sumOf } from './amounts.ts'

describe('a sum of amounts', () => {
  it('is exact where floats are not', () => {
    expect(sumOf(['0.10', '0.20'])).toBe('0.30')
    expect(sumOf(['90071992547409.93', '0.01'])).toBe('90071992547409.94')
  })

  it('keeps two places, below a dollar and below zero too', () => {
    expect(sumOf([])).toBe('0.00')
    expect(sumOf(['0.05'])).toBe('0.05')
    expect(sumOf(['1.00', '-1.50'])).toBe('-0.50')
  })

  it('leaves out what is no amount', () => expect(sumOf(['lots', '', '1.00', '2'])).toBe('1.00'))
})
