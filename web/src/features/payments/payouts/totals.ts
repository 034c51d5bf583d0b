import type { UseQueryResult } from '@tanstack/react-query'
import type { PayoutTotals } from '#services/payments/payouts/payout-api.ts'

/** Follows the count of selected payouts: ', $400.03'; nothing until their totals are there. */
export function totalsInWords(
  { data, isError }: Pick<UseQueryResult<PayoutTotals>, 'data' | 'isError'>,
  words: (totals: PayoutTotals) => string,
): string {
  if (data) return `, ${words(data)}`
  return isError ? ' (the total could not be loaded)' : ''
}
