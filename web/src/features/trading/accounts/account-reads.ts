import { accountQuery, historyQuery, standingQuery, type TradePage, tradesQuery } from './account-queries.ts'
import { ownLedgerQuery } from './ledger-table.tsx'

/** The reads of one account: the same of its trader and of staff, each at an address of its own. */
export interface AccountReads {
  readonly account: ReturnType<typeof accountQuery>
  readonly standing: ReturnType<typeof standingQuery>
  readonly history: ReturnType<typeof historyQuery>
  readonly trades: (page: TradePage) => ReturnType<typeof tradesQuery>
  readonly ledger: ReturnType<typeof ownLedgerQuery>
}

/** What a trader reads of an own account, by default of the current one; trades and ledger are of the account `id`. */
export function ownReads(named: string | undefined, id: string): AccountReads {
  return {
    account: accountQuery(named),
    standing: standingQuery(named),
    history: historyQuery(named),
    trades: (page) => tradesQuery(id, page),
    ledger: ownLedgerQuery(id),
  }
}
