import { ledgerRoutes } from '#services/trading/ledger/ledger-api.ts'
import { routeQuery } from '@/api/route-query.ts'

/** What moved the money of accounts. */

const subjects = ['accounts', 'payouts'] as const

/** Of the trader's own account, by default the current one. */
export const ownLedgerQuery = (account: string | undefined) =>
  routeQuery(ledgerRoutes.ownLedger, { query: { account }, subjects })

/** Of any account. */
export const ledgerOfAccount = (id: string) => routeQuery(ledgerRoutes.ledger, { params: { id }, subjects })
