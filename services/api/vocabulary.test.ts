import { expect, it } from 'vitest'
import { accountStatus } from '../domain/account/account.ts'
import { breachRule } from '../domain/account/decision-reason.ts'
import { payoutMethod, payoutStatus } from '../domain/payout/payout.ts'
import { adminRole } from '../domain/staff/access-key.ts'
import { accountStatuses, adminRoles, breachRules, payoutMethods, payoutStatuses } from './vocabulary.ts'

it.each([
  ['account statuses', accountStatuses, accountStatus],
  ['payout statuses', payoutStatuses, payoutStatus],
  ['payout methods', payoutMethods, payoutMethod],
  ['breach rules', breachRules, breachRule],
  ['roles', adminRoles, adminRole],
])('the API has the same %s as the events', (_, ours, recorded) => {
  expect(ours).toEqual(recorded.options)
})
