import { queryOptions } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error.ts'
import { get } from '../../api/api.ts'
import type { OwnAccount } from '../../../../services/api/account-schemas.ts'
import type { AccountHistory } from '../../../../services/api/performance-schemas.ts'
import { FRESH } from '../../query-client.ts'

/** The trader's own account and its history (specification §7). */

/** Three retries (specification §7, §9), but none when the session is over. */
function retriedThreeTimes(count: number, error: Error): boolean {
  const sessionOver = error instanceof ApiError && (error.status === 401 || error.status === 403)
  return count < 3 && !sessionOver
}

/** Short delays, about two seconds in total, so that a brief outage is hardly noticed. */
function soon(count: number): number {
  return 300 * 2 ** count
}

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }): Promise<OwnAccount> =>
    get('/api/user/account', () => import('../../../../services/api/account-schemas.ts').then(({ OwnAccount }) => OwnAccount), { signal }),
  staleTime: FRESH.trader,
  retry: retriedThreeTimes,
  retryDelay: soon,
})

/** The balance over time, with the decisions. */
export const historyQuery = queryOptions({
  queryKey: ['account', 'history'],
  queryFn: ({ signal }): Promise<AccountHistory> =>
    get('/api/user/account/history', () => import('../../../../services/api/performance-schemas.ts').then(({ AccountHistory }) => AccountHistory), { signal }),
  staleTime: FRESH.trader,
  retry: retriedThreeTimes,
  retryDelay: soon,
})
