import type { z } from 'zod'
import { type AccountChanges, accountRoutes } from '#services/modules/accounts/account-api.ts'
import { send, sendAndParse } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { adminChange } from '@/features/shell/admin-change.ts'
import type { UserName } from '@/features/users/user-queries.ts'
import { accountStatusLabel } from '@/format/status.ts'
import { untilReset } from './account-queries.ts'

/** Trading accounts, as staff read and change them. */

/** How a trader's balance and profit changed. */
export const userHistoryQuery = (id: string) =>
  routeQuery(accountRoutes.history, { params: { id }, subjects: ['accounts', 'payouts', 'certificates', 'users'] })

/** Where an account stands against its limits. */
export const standingOfAccount = (id: string) =>
  routeQuery(accountRoutes.standing, { params: { id }, subjects: ['accounts', 'payouts'] }, untilReset)

export type AccountChange = z.input<typeof AccountChanges>

interface ChangeOfAccount extends UserName {
  readonly changes: AccountChange
}

/** Whose account was changed, and to what. */
function inWords({ fullName, changes: { status, payoutEnabled } }: ChangeOfAccount): string {
  if (status !== undefined) return `${fullName}: ${accountStatusLabel(status).label}.`
  return payoutEnabled === undefined
    ? `${fullName}.`
    : `${fullName}: payouts ${payoutEnabled ? 'enabled' : 'disabled'}.`
}

/** Changes some fields of a trading account: only those that are sent (specification §7, partial payloads). */
const accountChange = (done: string, failed: string) =>
  adminChange({
    send: ({ id, changes }: ChangeOfAccount) => send(accountRoutes.changeAccount, { params: { id }, body: changes }),
    done: (change) => [done, inWords(change), change.id],
    failed: () => failed,
  })

/** Changes of the account. What is said about one depends on the form that it comes from (specification §8). */
export const accountChanges = {
  status: accountChange('User status updated', 'Failed to update user status'),
  payouts: accountChange('Payout status updated', 'Failed to update payout status'),
  platform: accountChange('Trading account updated', 'Update failed'),
  risk: accountChange('Risk metrics updated', 'Update failed'),
} as const

/**
 * Reads the master password of an account, which is recorded. The answer is kept only while it is shown, never cached.
 */
export const showMasterPassword = {
  ...adminChange({
    send: ({ id }: UserName) => sendAndParse(accountRoutes.showMasterPassword, { params: { id } }),
    done: ({ id, fullName }) => [
      'Master password shown',
      `${fullName} sees in the history that staff looked at it.`,
      id,
    ],
    failed: () => 'The master password could not be shown',
  }),
  gcTime: 0,
}
