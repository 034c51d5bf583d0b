import type { AdminPayout } from '#services/payments/payouts/payout-api.ts'
import { accountName } from '@/format/account-name.ts'

/** The name of the account that a payout is asked from; undefined where its trader has only one. */
export function payingAccount({
  accountId,
  accountCount,
  account,
}: Pick<AdminPayout, 'accountId' | 'accountCount' | 'account'>): string | undefined {
  if (accountCount < 2) return undefined
  return accountName({ id: accountId, phase: account?.phase ?? null, login: account?.login ?? null })
}
