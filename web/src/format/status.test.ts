import { expect, it } from 'vitest'
import { accountMeaning, accountStatusLabel, breachRuleName, payoutStatusLabel } from './status.ts'

it.each([
  ['active', 'Active', 'good'],
  ['under-review', 'Under Review', 'review'],
  ['breached', 'Breached', 'bad'],
  ['pending', 'Pending', 'waiting'],
  // New, or never set.
  [null, 'Pending', 'waiting'],
  [undefined, 'Pending', 'waiting'],
  ['', 'Pending', 'waiting'],
  ['suspended', 'Unknown', 'plain'],
  ['toString', 'Unknown', 'plain'],
])('calls the account status %j %s', (status, label, tone) =>
  expect(accountStatusLabel(status)).toEqual({ label, tone }),
)

it.each([
  ['pending', 'Pending', 'waiting'],
  ['approved', 'Approved', 'good'],
  ['rejected', 'Rejected', 'bad'],
  ['on hold', 'on hold', 'plain'],
  ['constructor', 'constructor', 'plain'],
  [null, 'Unknown', 'plain'],
  [undefined, 'Unknown', 'plain'],
])('calls the payout status %j %s', (status, label, tone) => expect(payoutStatusLabel(status)).toEqual({ label, tone }))

it('says what each account status means, a missing one as pending', () => {
  expect(accountMeaning('breached')).toBe('Your account has violated the rules.')
  expect(accountMeaning(null)).toBe('Your account is being verified and set up.')
  expect(accountMeaning('suspended')).toBeUndefined()
})

it.each([
  ['daily-drawdown', 'Daily Drawdown'],
  ['weekend-holding', 'weekend-holding'],
  ['', 'Unknown'],
])('calls the rule %j %s', (rule, name) => expect(breachRuleName(rule)).toBe(name))
