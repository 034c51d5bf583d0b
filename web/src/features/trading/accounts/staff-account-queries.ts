import type { z } from 'zod'
import { accountRoutes } from '#services/trading/accounts/account-api.ts'
import {
  type AccountChanges,
  type LoginGiven,
  accountChangeRoutes,
} from '#services/trading/accounts/account-change-api.ts'
import { ledgerRoutes, type NewEntry } from '#services/trading/accounts/ledger-api.ts'
import { send, sendAndParse } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { staffChange, type UserName } from '@/features/frame/staff-change.ts'
import { accountLabel, accountName } from '@/format/account-name.ts'
import { formatMoney } from '@/format/money.ts'
import { accountStatusLabel } from '@/format/status.ts'
import { untilReset } from './account-queries.ts'
import type { UserDetails } from '#services/trading/traders/trader-api.ts'

/** Trading accounts, as staff read and change them. */

/** How the balance and profit of a trader's account changed. */
export const userHistoryQuery = (id: string, account: string | undefined) =>
  routeQuery(accountRoutes.history, {
    params: { id },
    query: { account },
    subjects: ['accounts', 'payouts', 'certificates', 'users'],
  })

/** Where an account stands against its limits. */
export const standingOfAccount = (id: string) =>
  routeQuery(accountRoutes.standing, { params: { id }, subjects: ['accounts', 'observations', 'payouts'] }, untilReset)

/** The payout terms of an account, and what they allow now. */
export const payoutTermsOfAccount = (id: string) =>
  routeQuery(accountRoutes.payoutTerms, { params: { id }, subjects: ['accounts', 'payouts'] })

export type AccountChange = z.input<typeof AccountChanges>

interface ChangeOfAccount extends UserName {
  /** The account's id, of a user with several; else it is the current one. */
  readonly account: string | undefined
  readonly changes: AccountChange
}

/** Changes a user's account, the current one where none is named. @throws {ApiError} */
export function changeAccount(id: string, account: string | undefined, body: AccountChange): Promise<void> {
  return account === undefined
    ? send(accountChangeRoutes.changeCurrentAccount, { params: { id }, body })
    : send(accountChangeRoutes.changeAccount, { params: { id: account }, body })
}

export type LoginGivenByStaff = z.input<typeof LoginGiven>

/** Gives an account its login on the platform. @throws {ApiError} */
export function assignLoginOf(id: string, body: LoginGivenByStaff): Promise<void> {
  return send(accountChangeRoutes.assignLogin, { params: { id }, body })
}

/** Says whose account was changed, and to what. */
function inWords({ fullName, changes: { status, payoutEnabled } }: ChangeOfAccount): string {
  if (status !== undefined) return `${fullName}: ${accountStatusLabel(status).label}.`
  return payoutEnabled === undefined
    ? `${fullName}.`
    : `${fullName}: payouts ${payoutEnabled ? 'enabled' : 'disabled'}.`
}

/** Changes some fields of a trading account: only those that are sent (specification §7, partial payloads). */
const accountChange = (done: string, failed: string) =>
  staffChange({
    send: ({ id, account, changes }: ChangeOfAccount) => changeAccount(id, account, changes),
    done: (change) => [done, inWords(change), change.id],
    failed: () => failed,
  })

/** Changes of the account. What is said about one depends on the form that it comes from (specification §8). */
export const accountChanges = {
  status: accountChange('User status updated', 'Failed to update user status'),
  payouts: accountChange('Payout status updated', 'Failed to update payout status'),
  platform: accountChange('Trading account updated', 'Update failed'),
  terms: accountChange('Payout terms updated', 'Update failed'),
  risk: accountChange('Risk metrics updated', 'Update failed'),
} as const

/** What members of staff who do tasks may change of an account. */
const taskChange = (what: string, sent: (account: string, changes: AccountChange) => Promise<void>) =>
  staffChange({
    send: async ({ account, changes }: ChangeOfAccount) => {
      if (account === undefined) throw new Error('This user has no account yet')
      await sent(account, changes)
    },
    done: (change) => [`${what} updated`, inWords(change), change.id],
    failed: () => 'Update failed',
  })

export const taskChanges = {
  login: taskChange('Trading account', (account, { platform, login, masterPassword, server }) =>
    assignLoginOf(account, { platform, login, masterPassword, server }),
  ),
  payouts: taskChange('Payout status', (id) => send(accountChangeRoutes.enablePayouts, { params: { id } })),
} as const

/** Opens a further account of a user. */
export const openAccount = staffChange({
  send: ({ id, body }: UserName & { readonly body: AccountChange }) =>
    sendAndParse(accountChangeRoutes.openAccount, { params: { id }, body }),
  done: ({ id, fullName }, opened) => ['Account opened', `${accountLabel(opened.id)} of ${fullName}.`, id],
  failed: () => 'Open failed',
})

interface Closing extends UserName {
  readonly account: string
  readonly reason: string
}

/** Closes an account for good. */
export const closeAccount = staffChange({
  send: ({ account, reason }: Closing) =>
    send(accountChangeRoutes.closeAccount, { params: { id: account }, body: { reason } }),
  done: ({ id, fullName, account }) => ['Account closed', `${accountLabel(account)} of ${fullName}.`, id],
  failed: () => 'Close failed',
})

interface Booked extends UserName {
  readonly account: string
  readonly entry: z.input<typeof NewEntry>
}

/** Books an entry of the ledger. */
export const bookEntry = staffChange({
  send: ({ account, entry }: Booked) => sendAndParse(ledgerRoutes.bookEntry, { params: { id: account }, body: entry }),
  done: ({ id, fullName, account }, { balance }) => [
    'Entry booked',
    `${accountLabel(account)} of ${fullName} has a balance of ${formatMoney(balance)}.`,
    id,
  ],
  failed: () => 'Booking failed',
})

interface AccountOfUser extends UserName {
  readonly account: string | undefined
}

/**
 * Reads the master password of an account, which is recorded. The answer is kept only while it is shown, never cached.
 */
export const showMasterPassword = {
  ...staffChange({
    send: ({ id, account }: AccountOfUser) =>
      sendAndParse(accountChangeRoutes.showMasterPassword, { params: { id }, query: { account } }),
    done: ({ id, fullName }) => [
      'Master password shown',
      `${fullName} sees in the history that staff looked at it.`,
      id,
    ],
    failed: () => 'The master password could not be shown',
  }),
  gcTime: 0,
}

/** Which of a user's accounts the details and forms of staff are about. */

/** The user with the chosen account as `tradingAccount`; with the current one where none or an unknown one is chosen. */
export function withAccount(user: UserDetails, chosen: string | undefined): UserDetails {
  const account = user.tradingAccounts.find(({ id }) => id === chosen)
  return account ? { ...user, tradingAccount: account } : user
}

/** The account that calls have to name: that of a user with several. */
export function accountToName({ tradingAccount, tradingAccounts }: UserDetails): string | undefined {
  return tradingAccounts.length > 1 ? tradingAccount?.id : undefined
}

/** ', Account 2 · Funded', where the user has several. */
export function accountPhrase({ tradingAccount, tradingAccounts }: UserDetails): string {
  return tradingAccounts.length > 1 && tradingAccount ? `, ${accountName(tradingAccount)}` : ''
}
