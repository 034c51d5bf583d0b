import { accountRoutes } from '#services/trading/accounts/account-api.ts'
import { pageQuery, routeQuery } from '@/api/route-query.ts'
import { ownerOf } from '@/format/account-name.ts'
import { ROWS } from '@/lists/list-query.ts'
import { accountQuery, historyQuery, standingQuery, tradesQuery } from './account-queries.ts'
import { ledgerOfAccount, ownLedgerQuery } from './ledger-table.tsx'
import { standingOfAccount, userHistoryQuery } from './staff-account-queries.ts'

/** The reads of one account: the same of its trader and of staff, each at an address of its own. */
export interface AccountReads {
  readonly account: ReturnType<typeof accountQuery>
  readonly standing: ReturnType<typeof standingQuery>
  readonly history: ReturnType<typeof historyQuery>
  readonly trades: (cursor: string | undefined) => ReturnType<typeof tradesQuery>
  readonly ledger: ReturnType<typeof ownLedgerQuery>
}

/** What a trader reads of an own account, by default of the current one; trades and ledger are of the account `id`. */
export function ownReads(named: string | undefined, id: string): AccountReads {
  return {
    account: accountQuery(named),
    standing: standingQuery(named),
    history: historyQuery(named),
    trades: (cursor) => tradesQuery(id, cursor),
    ledger: ownLedgerQuery(id),
  }
}

/** What staff read of any account. */
export function staffReads(id: string): AccountReads {
  return {
    account: routeQuery(accountRoutes.account, { params: { id }, subjects: ['accounts', 'payouts'] }),
    standing: standingOfAccount(id),
    history: userHistoryQuery(ownerOf(id), id),
    trades: (cursor) =>
      pageQuery(accountRoutes.trades, {
        ...{ params: { id }, query: { limit: ROWS, cursor } },
        subjects: ['accounts', 'observations'],
      }),
    ledger: ledgerOfAccount(id),
  }
}
