import { accountRoutes } from '#services/trading/accounts/account-api.ts'
import type { Standing } from '#services/trading/accounts/standing-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { pageQuery, routeQuery } from '@/api/route-query.ts'
import { ROWS } from '@/lists/list-query.ts'
import { holdsFor } from './standing.ts'

/** The trader's own accounts, where one stands, and its history (specification §7). */

const patient = {
  /** Three retries (specification §7, §9), but none when the session is over or there is no such account. */
  retry: (count: number, error: Error) =>
    count < 3 && !(error instanceof ApiError && [401, 403, 404].includes(error.status)),
  /** Short delays, about two seconds in total, so that a brief outage is hardly noticed. */
  retryDelay: (count: number) => 300 * 2 ** count,
}

/** All of the trader's accounts, the newest first. A payout moves their balances. */
export const ownAccountsQuery = routeQuery(accountRoutes.ownAccounts, { subjects: ['accounts', 'payouts'] }, patient)

/** One account, by default the current one. */
export const accountQuery = (account: string | undefined) =>
  routeQuery(accountRoutes.ownAccount, { query: { account }, subjects: ['accounts', 'payouts'] }, patient)

/** Read again when the day ends: the daily limit begins anew. */
export const untilReset = {
  refetchInterval: ({ state }: { readonly state: { data: Standing | undefined; dataUpdatedAt: number } }) =>
    state.data ? holdsFor(state.data, Date.now() - state.dataUpdatedAt) : false,
}

/** Where an account stands against its limits, by default the current one. */
export const standingQuery = (account: string | undefined) =>
  routeQuery(
    accountRoutes.ownStanding,
    { query: { account }, subjects: ['accounts', 'observations', 'payouts'] },
    { ...patient, ...untilReset },
  )

/** A page of trades, and which of them. */
export interface TradePage {
  readonly cursor: string | undefined
  readonly only: 'marked' | undefined
}

/** A page of the trades of an account under a programme. */
export const tradesQuery = (account: string, page: TradePage) =>
  pageQuery(
    accountRoutes.ownTrades,
    { query: { account, limit: ROWS, ...page }, subjects: ['accounts', 'observations'] },
    patient,
  )

/** The balance over time, with what was decided: payouts, certificates and bans too. */
export const historyQuery = (account: string | undefined) =>
  routeQuery(
    accountRoutes.ownHistory,
    { query: { account }, subjects: ['accounts', 'observations', 'payouts', 'certificates', 'users'] },
    patient,
  )
