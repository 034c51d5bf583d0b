import { expect, it } from 'vitest'
import { receivesOf, receivesOfAvailable } from './share-words.ts'

const payout = (takes: 'request' | 'everything' | 'firm-share-first') => ({
  ...{ available: '1000.00', traderReceives: '800.00', split: '80', terms: { takes } },
})

it('says what the trader receives of an amount as the terms say it', () => {
  const all = 'You receive $800.00; the amount leaves your account.'
  expect(receivesOf('1000', payout('request'))).toBe(all)
  expect(receivesOf('1000.00', payout('everything'))).toBe(all)
  expect(receivesOf('500.00', payout('request'))).toBe(
    'You receive 80% of the profit in it; the amount leaves your account.',
  )
  expect(receivesOf('500.00', payout('everything'))).toBe('Your terms allow only the whole available $1,000.00.')
  expect(receivesOf('500.00', payout('firm-share-first'))).toContain(
    "The firm's share of the whole profit leaves first",
  )
})

it('names no part of what is available where the share of the firm leaves first', () => {
  expect(receivesOfAvailable(payout('request'))).toBe('$800.00 (80%)')
  expect(receivesOfAvailable(payout('firm-share-first'))).toBe('$800.00')
})
