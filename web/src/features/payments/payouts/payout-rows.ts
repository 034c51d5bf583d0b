import type { AdminPayout, PayoutTotals } from '#services/payments/payouts/payout-api.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import { accountName } from '@/format/account-name.ts'

type Decidable = Pick<AdminPayout, 'id' | 'status'> & {
  readonly firstApproval: Pick<NonNullable<AdminPayout['firstApproval']>, 'member'> | null
  readonly firstForfeit: Pick<NonNullable<AdminPayout['firstForfeit']>, 'member'> | null
}

/** Whether a payout waits for this member: not one that the member decided first, which waits for somebody else. */
export function waitsFor(member: string | undefined, { status, firstApproval, firstForfeit }: Decidable): boolean {
  const first = firstApproval ?? firstForfeit
  return status === 'pending' && (first === null || first.member !== member)
}

/**
 * The payout that a member decides after `decided`: the next one below it that waits for the member, else the first one
 * above; undefined without one.
 */
export function nextPending(
  payouts: readonly Decidable[],
  decided: string,
  member: string | undefined,
): string | undefined {
  const at = payouts.findIndex(({ id }) => id === decided)
  const inTurn = [...payouts.slice(at + 1), ...payouts.slice(0, Math.max(0, at))]
  return inTurn.find((payout) => waitsFor(member, payout) && payout.id !== decided)?.id
}

/** Follows the count of selected payouts: ', $400.03'; nothing until their totals are there. */
export function totalsInWords(
  { data, isError }: Pick<UseQueryResult<PayoutTotals>, 'data' | 'isError'>,
  words: (totals: PayoutTotals) => string,
): string {
  if (data) return `, ${words(data)}`
  return isError ? ' (the total could not be loaded)' : ''
}

/** The name of the account that a payout is asked from; undefined where its trader has only one. */
export function payingAccount({
  accountId,
  accountCount,
  account,
}: Pick<AdminPayout, 'accountId' | 'accountCount' | 'account'>): string | undefined {
  if (accountCount < 2) return undefined
  return accountName({ id: accountId, phase: account?.phase ?? null, login: account?.login ?? null })
}
