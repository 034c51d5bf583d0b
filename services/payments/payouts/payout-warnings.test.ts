import { describe, expect, it } from 'vitest'
import { accountStanding } from '#services/trading/accounts/account-standing.ts'
import { withEntries } from '#test-support/balance-changes.ts'
import { payoutWarnings, type WarnedAccount, type WarnedPayout, type WarningFacts } from './payout-warnings.ts'

const now = Date.UTC(2026, 2, 3)
const account: WarnedAccount = {
  status: 'active',
  profitLoss: 694_600,
  payoutEnabled: true,
  banned: false,
  emailConfirmed: true,
  unacceptedTerms: null,
}
const payout: WarnedPayout = {
  id: 'ada12345-a1-p3',
  accountId: 'ada12345-a1',
  amount: 250_000,
  status: 'pending',
  method: 'paypal',
  hold: null,
}
const open: WarnedPayout = { ...payout, id: 'ada12345-a1-p2', amount: 500_000 }
const elsewhere: WarnedPayout = { ...open, id: 'ada12345-a2-p1', accountId: 'ada12345-a2' }
const toAda = { method: 'paypal', details: 'ada@example.com', isChecked: true }

/** An account that began with $100,000.00 and has this balance now. */
const standingAt = (dollars: number) => {
  const at = now
  const balance = (moment: number, cents: number) => ({ at: moment, number: 1, balance: cents, beginsPhase: false })
  return accountStanding(
    {
      dailyDrawdownLimit: '5% / $5000',
      overallLossLimit: '10% / $10000',
      profitTarget: null,
      profitLoss: 0,
      isBreached: false,
      limitEvents: { dailyDrawdownLimit: 1, overallLossLimit: 1, profitTarget: null },
      changes: withEntries([balance(at - 86_400_000, 10_000_000), balance(at - 1, dollars * 100)]),
    },
    at,
  )
}

describe('warnings about a payout', () => {
  it.each<[string, Partial<WarningFacts>, readonly string[]]>([
    ['none where all is as before', { destination: { ...toAda, details: ' ADA@example.com' } }, []],
    [
      'an amount above the profit',
      { payout: { ...payout, amount: 999_900 } },
      ['The amount is $3,053.00 above the profit of $6,946.00.'],
    ],
    ['no profit', { account: { ...account, profitLoss: -1_250 } }, ['The account has no profit: -$12.50.']],
    [
      'open requests above the profit',
      { ofUser: [payout, open, elsewhere] },
      ['All 2 open requests together, $7,500.00, are above the profit of $6,946.00.'],
    ],
    ['nothing of requests from another account', { ofUser: [payout, elsewhere] }, []],
    [
      'a payout that reaches the floor',
      { standing: standingAt(92_500) },
      ['The payout leaves nothing until the maximum loss: $2,500.00 is left.'],
    ],
    ['nothing of one that leaves a cent', { standing: standingAt(92_500.01) }, []],
    ['limits that are reached', { standing: standingAt(90_000) }, ['Maximum loss is reached: $10,000.00 lost.']],
    [
      'terms that were not accepted',
      { account: { ...account, unacceptedTerms: 'Two-Step 100K' } },
      [
        'The trader has not accepted the terms of Two-Step 100K yet. Payouts do not wait for it: the dashboard asks until it is done.',
      ],
    ],
    ['a breach', { account: { ...account, status: 'breached' } }, ['The account is not active: Breached.']],
    [
      'disabled payouts and a ban',
      { account: { ...account, payoutEnabled: false, banned: true } },
      ['The user is banned.', 'Payouts are disabled for this account.'],
    ],
    [
      'other payment details',
      { destination: { ...toAda, details: 'eve@example.com' } },
      ['The payment details differ from the last payout.'],
    ],
    [
      'words that nobody checked',
      { destination: { ...toAda, isChecked: false } },
      ['Where the money goes is in the words of the trader, and was not checked: most batches do not take it.'],
    ],
    [
      'a request that says nothing about where the money goes',
      { destination: { ...toAda, details: ' ', isChecked: false }, last: null },
      ['The request says nothing about where the money goes: no batch takes it before it has a destination.'],
    ],
    [
      'another payment method',
      { destination: { ...toAda, method: 'crypto' } },
      ['The payment method differs from the last payout.'],
    ],
    [
      'a profit that is paid out already',
      { ofUser: [payout, { ...open, status: 'approved' }] },
      ['Of the profit of $6,946.00, $5,000.00 are approved already: the amount is $554.00 above the rest.'],
    ],
    [
      'more than the terms make available',
      { available: 249_999 },
      ['The amount is above the $2,499.99 that the terms make available now.'],
    ],
    [
      'open requests above what the terms make available',
      { available: 749_999, ofUser: [payout, open, elsewhere] },
      ['All 2 open requests together, $7,500.00, are above the $7,499.99 that the terms make available now.'],
    ],
    ['nothing of the recorded profit with terms', { available: 250_000, account: { ...account, profitLoss: 0 } }, []],
    [
      'an unconfirmed address',
      { account: { ...account, emailConfirmed: false } },
      ['The email address of the trader is not confirmed.'],
    ],
    ['a hold', { payout: { ...payout, hold: { reason: 'Who is this?' } } }, ['On hold: Who is this?']],
    ['a deleted user', { account: null, standing: null }, ['The user was deleted.']],
    ['nothing once it is approved', { payout: { ...payout, status: 'approved', amount: 99_999_900 } }, []],
  ])('say %s', (_, values, warnings) => {
    const usual = {
      payout,
      destination: toAda,
      account,
      standing: standingAt(106_946),
      available: null,
      ofUser: [payout],
      last: toAda,
    }
    expect(payoutWarnings({ ...usual, ...values })).toEqual(warnings)
  })
})
