import { expect, it } from 'vitest'
import type { PayoutNeed } from '#services/trading/accounts/available-payout-api.ts'
import {
  hasToWait,
  needInWords,
  needsWorthSaying,
  nextDayInWords,
  receivesOf,
  receivesOfAvailable,
  whyNotNow,
} from './payout-words.ts'

const payout = (everyDays: number, waiting: string, missing: readonly string[] = []) => ({
  ...{ waiting, missing: [...missing], from: null, terms: { everyDays } },
  available: missing.length > 0 ? '0.00' : '1000.00',
})

it('offers no second request beside one that waits, where days have to lie between two payouts', () => {
  const waits = payout(14, '250.00', ['minimum'])
  expect(hasToWait(waits)).toBe(true)
  expect(whyNotNow(waits)).toBe('A request waits already. You can make the next one once it is decided.')
  expect(nextDayInWords(waits)).toBe('After the decision')
})

it('says otherwise whether something is available', () => {
  expect(whyNotNow(payout(0, '250.00'))).toBeUndefined()
  expect(nextDayInWords(payout(0, '250.00'))).toBe('Now')
  expect(nextDayInWords({ ...payout(14, '0.00'), from: '2026-03-15' })).toBe('15 Mar 2026')
  expect(whyNotNow(payout(14, '0.00', ['every-days', 'profit']))).toBe('Nothing is available for a payout now.')
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

const need = { have: null, asked: null, left: null, share: null, mostShare: null }

it.each([
  [{ kind: 'every-days', have: '4', asked: '14', left: '10' }, 'Days between two payouts: 4 of 14, 10 left'],
  [{ kind: 'minimum', have: '32.00', asked: '50.00', left: '18.00' }, 'Minimum payout: $32.00 of $50.00, $18.00 left'],
  [{ kind: 'profit', have: '-120.00', asked: '500.01', left: '620.01' }, 'Profit: -$120.00, $620.01 more is needed'],
  [{ kind: 'profit' }, 'Profit: all of it keeps the account above its maximum loss'],
  [
    { kind: 'profit-target', asked: '10800.00', left: '920.00' },
    'Profit target: $920.00 left to a balance of $10,800.00',
  ],
  [{ kind: 'breached' }, 'The account is breached'],
  [{ kind: 'short-trades' }, 'short-trades'],
])('says the missing condition %j in numbers', (given, says) => {
  expect(needInWords({ ...need, ...given })).toBe(says)
})

it('leaves out the first cent of profit beside the smallest payout', () => {
  const need = (kind: string, left: string) => ({
    ...{ kind, have: '0.00', asked: left, left, share: null, mostShare: null },
  })
  const kinds = (...needs: PayoutNeed[]) => needsWorthSaying(needs).map(({ kind }) => kind)
  expect(kinds(need('minimum', '50.00'), need('profit', '0.01'))).toEqual(['minimum'])
  expect(kinds(need('profit', '0.01'))).toEqual(['profit'])
  expect(kinds(need('minimum', '50.00'), need('profit', '620.01'))).toEqual(['minimum', 'profit'])
})
