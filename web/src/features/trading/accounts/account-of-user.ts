import type { UserDetails } from '#services/trading/traders/trader-api.ts'
import { accountName } from '@/format/account-name.ts'

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
