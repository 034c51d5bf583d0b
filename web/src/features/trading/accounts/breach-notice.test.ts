import { expect, it } from 'vitest'
import { breachInWords } from './breach-notice.tsx'

it('says what staff wrote as a loss against a limit', () => {
  const evidence = { rule: 'overall-loss', limit: '10% / $1000', value: '-$1004.00' } as const
  expect(breachInWords(evidence, false)).toBe('Maximum Loss: -$1,004.00 against the limit 10% / $1,000')
})

it('says what the rules found as a value at the floor, or by the name of the rule', () => {
  const evidence = { rule: 'overall-loss', limit: '9000.00', value: '8992.25' } as const
  expect(breachInWords(evidence, true)).toBe('Maximum loss: $8,992.25 is $7.75 below the floor of $9,000.00')
  expect(breachInWords({ rule: 'other', limit: 'Inactivity', value: 'reached' }, true)).toBe('Inactivity: reached')
})
