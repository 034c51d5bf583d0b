import { accountRoutes } from '#services/modules/accounts/account-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { routeQuery } from '@/api/route-query.ts'

/** The trader's own account and its history (specification §7). */

const patient = {
  /** Three retries (specification §7, §9), but none when the session is over. */
  retry: (count: number, error: Error) =>
    count < 3 && !(error instanceof ApiError && (error.status === 401 || error.status === 403)),
  /** Short delays, about two seconds in total, so that a brief outage is hardly noticed. */
  retryDelay: (count: number) => 300 * 2 ** count,
}

export const accountQuery = routeQuery(accountRoutes.ownAccount, { subjects: ['accounts'] }, patient)

/** The balance over time, with what was decided: payouts, certificates and bans too. */
export const historyQuery = routeQuery(
  accountRoutes.ownHistory,
  { subjects: ['accounts', 'payouts', 'certificates', 'users'] },
  patient,
)
