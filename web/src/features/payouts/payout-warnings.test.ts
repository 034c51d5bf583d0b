import { describe, expect, it } from 'vitest'
import type { AdminPayout, PayoutAccount } from '#services/modules/payouts/payout-api.ts'
import { samplePayout } from '@/testing/samples.ts'
import { accountSize, payoutWarnings, timeSince } from './payout-warnings.ts'

const account: PayoutAccount = {
  ...samplePayout.account,
  balance: '106946.00',
  profitLoss: '6946.00',
  dailyDrawdownLimit: '5% / $5000',
  overallLossLimit: '10% / $10000',
}
const payout: AdminPayout = { ...samplePayout, id: 'ada12345-a1-p3', amount: '2500.00', account }
const paid: AdminPayout = { ...payout, id: 'ada12345-a1-p1', status: 'approved', decidedAt: '2026-02-01T10:00:00Z' }
const open: AdminPayout = { ...payout, id: 'ada12345-a1-p2', amount: '5000.00' }

describe('warnings about a payout', () => {
  it.each<[string, Partial<AdminPayout>, Partial<PayoutAccount> | null, readonly AdminPayout[], readonly string[]]>([
    ['none where all is as before', { paymentDetails: ' ADA@example.com' }, {}, [paid], []],
    [
      'an amount above the profit',
      { amount: '999999.00' },
      {},
      [],
      ['The amount is $993,053.00 above the profit of $6,946.00.'],
    ],
    ['no profit', {}, { profitLoss: '-12.50' }, [], ['The account has no profit: -$12.50.']],
    [
      'open requests above the profit',
      {},
      {},
      [open],
      ['All 2 open requests together, $7,500.00, are above the profit of $6,946.00.'],
    ],
    ['a breach', {}, { status: 'breached' }, [], ['The account is not active: Breached.']],
    [
      'disabled payouts and a ban',
      {},
      { payoutEnabled: false, banned: true },
      [],
      ['Payouts are disabled for this account.', 'The user is banned.'],
    ],
    [
      'other payment details',
      { paymentDetails: 'eve@example.com' },
      {},
      [paid],
      ['The payment details differ from the last payout.'],
    ],
    [
      'another payment method',
      { paymentMethod: 'crypto' },
      {},
      [paid],
      ['The payment method differs from the last payout.'],
    ],
    ['a deleted user', {}, null, [], ['The user was deleted.']],
    ['nothing once it is approved', { status: 'approved', amount: '999999.00' }, {}, [], []],
  ])('say %s', (_, asked, changed, others, warnings) => {
    const own = { ...payout, ...asked }
    expect(payoutWarnings(own, changed && { ...account, ...changed }, [own, ...others])).toEqual(warnings)
  })
})

it('takes the balance without profit as the size of an account', () => {
  expect(accountSize(account)).toBe(10_000_000)
})

it.each([
  ['2026-03-03T13:50:00Z', 'less than an hour'],
  ['2026-03-03T13:07:00Z', '1 hour'],
  ['2026-03-01T15:07:00Z', '47 hours'],
  ['2026-02-12T14:07:00Z', '19 days'],
  ['2026-03-03T14:08:00Z', 'less than an hour'],
])('says how long ago %s is', (at, words) => {
  expect(timeSince(at, Date.parse('2026-03-03T14:07:00Z'))).toBe(words)
})
