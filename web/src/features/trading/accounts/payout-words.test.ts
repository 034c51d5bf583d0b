import { expect, it } from 'vitest'
import { hasToWait, nextDayInWords, receivesOf, receivesOfAvailable, whyNotNow } from './payout-words.ts'

const payout = (everyDays: number, waiting: string, missing: readonly string[] = []) => ({
  ...{ waiting, missing: [...missing], from: null, terms: { everyDays } },
})

it('offers no second request beside one that waits, where days have to lie between two payouts', () => {
  const waits = payout(14, '250.00', ['minimum'])
  expect(hasToWait(waits)).toBe(true)
  expect(whyNotNow(waits)).toBe('A request waits already. You can make the next one once it is decided.')
  expect(nextDayInWords(waits)).toBe('After the decision')
})

it('says what is missing otherwise', () => {
  expect(whyNotNow(payout(0, '250.00'))).toBeUndefined()
  expect(nextDayInWords(payout(0, '250.00'))).toBe('Now')
  expect(nextDayInWords({ ...payout(14, '0.00'), from: '2026-03-15' })).toBe('15 Mar 2026')
  expect(whyNotNow(payout(14, '0.00', ['every-days', 'profit']))).toBe(
    'Still missing: the days between two payouts, profit.',
  )
})

const available = (takes: 'request' | 'everything' | 'firm-share-first') => ({
  ...{ available: '1000.00', traderReceives: '800.00', split: '80', terms: { takes } },
})

it('says what the trader receives of an amount as the terms say it', () => {
  const all = 'You receive $800.00; the amount leaves your account.'
  expect(receivesOf('1000', available('request'))).toBe(all)
  expect(receivesOf('1000.00', available('everything'))).toBe(all)
  expect(receivesOf('500.00', available('request'))).toBe(
    'You receive 80% of the profit in it; the amount leaves your account.',
  )
  expect(receivesOf('500.00', available('everything'))).toBe('Your terms allow only the whole available $1,000.00.')
  expect(receivesOf('500.00', available('firm-share-first'))).toContain(
    "The firm's share of the whole profit leaves first",
  )
})

it('names no part of what is available where the share of the firm leaves first', () => {
  expect(receivesOfAvailable(available('request'))).toBe('$800.00 (80%)')
  expect(receivesOfAvailable(available('firm-share-first'))).toBe('$800.00')
})
