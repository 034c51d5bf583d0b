import { queryOptions } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error.ts'
import { get } from '../../api/api.ts'
import type { OwnAccount } from '../../../../services/api/account-schemas.ts'
import type { AccountHistory } from '../../../../services/api/performance-schemas.ts'
import { FRESH } from '../../query-client.ts'

/** The trader's own account, and how it came to where it is (specification §7). */

/** Three more tries (specification §7, §9), but none against a session that is over: that leads to the sign-in screen. */
function retriedThreeTimes(count: number, error: Error): boolean {
  const sessionOver = error instanceof ApiError && (error.status === 401 || error.status === 403)
  return count < 3 && !sessionOver
}

/** Soon enough that a passing trouble is hardly seen: within about two seconds in all. */
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

/** The balance over time, with the decisions along the way. */
export const historyQuery = queryOptions({
  queryKey: ['account', 'history'],
  queryFn: ({ signal }): Promise<AccountHistory> =>
    get('/api/user/account/history', () => import('../../../../services/api/performance-schemas.ts').then(({ AccountHistory }) => AccountHistory), { signal }),
  staleTime: FRESH.trader,
  retry: retriedThreeTimes,
  retryDelay: soon,
})
