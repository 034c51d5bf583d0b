import { AccountHistory } from '#services/modules/accounts/account-api.ts'
import { OwnAccount } from '#services/modules/accounts/account-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { readQuery } from '@/query-client.ts'

/** The trader's own account and its history (specification §7). */

const patient = {
  /** Three retries (specification §7, §9), but none when the session is over. */
  retry: (count: number, error: Error) => count < 3 && !(error instanceof ApiError && (error.status === 401 || error.status === 403)),
  /** Short delays, about two seconds in total, so that a brief outage is hardly noticed. */
  retryDelay: (count: number) => 300 * 2 ** count,
}

export const accountQuery = readQuery(['account'], '/api/user/account', OwnAccount, { subjects: ['accounts'], ...patient })

/** The balance over time, with what was decided: payouts, certificates and bans too. */
export const historyQuery = readQuery(['account', 'history'], '/api/user/account/history', AccountHistory, {
  subjects: ['accounts', 'payouts', 'certificates', 'users'],
  ...patient,
})
