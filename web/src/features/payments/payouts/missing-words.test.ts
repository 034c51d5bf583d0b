import { expect, it } from 'vitest'
import { hasToWait, nextDayInWords, whyNotNow } from './missing-words.ts'

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
