import { useState } from 'react'
import { type LedgerEntry, ledgerRoutes } from '#services/trading/accounts/ledger-api.ts'
import { entryKindLabels } from '#services/trading/stream/ledger-vocabulary.ts'
import { formatCount } from '@/format/counts.ts'
import { formatMoney } from '@/format/money.ts'
import { Button } from '@/ui/button.tsx'
import { QueryTable, type QueryTableProps } from '@/lists/query-table.tsx'
import type { Column } from '@/ui/data-table.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { DateText, Result } from '@/ui/text.tsx'
import { routeQuery } from '@/api/route-query.ts'

const subjects = ['accounts', 'payouts'] as const

/** Reads the ledger of the trader's own account, by default the current one. */
export const ownLedgerQuery = (account: string | undefined) =>
  routeQuery(ledgerRoutes.ownLedger, { query: { account }, subjects })

/** Reads the ledger of any account. */
export const ledgerOfAccount = (id: string) => routeQuery(ledgerRoutes.ledger, { params: { id }, subjects })

interface LedgerTableProps {
  /** The entries, oldest first. */
  readonly ledger: QueryTableProps<LedgerEntry>['query'] & { readonly data: readonly LedgerEntry[] | undefined }
}

/** How many entries are shown before somebody asks for all: a year of trading days is a long page. */
const NEWEST = 25

/** Shows the entries that moved the money of an account, the newest first, each with its event. */
export function LedgerTable({ ledger }: LedgerTableProps) {
  const [showsAll, setShowsAll] = useState(false)
  const entries = ledger.data
  const newestFirst = entries?.toReversed()
  return (
    <>
      <QueryTable
        label="Ledger"
        columns={columns}
        rows={showsAll ? newestFirst : newestFirst?.slice(0, NEWEST)}
        rowId={entryId}
        expectedRows={4}
        query={ledger}
        failure="The ledger could not be loaded"
        empty={<EmptyState title="No entries">Nothing has moved the balance yet.</EmptyState>}
      />
      {entries && entries.length > NEWEST && !showsAll && (
        <Button className="mt-3" onClick={() => setShowsAll(true)}>
          Show all {formatCount(entries.length)} entries
        </Button>
      )}
    </>
  )
}

const entryId = ({ event }: LedgerEntry) => String(event)

const columns: readonly Column<LedgerEntry>[] = [
  { header: 'Event', cell: ({ event }) => <span className="font-mono text-12">#{event}</span> },
  { header: 'Date', cell: ({ at }) => <DateText at={at} how="exact" /> },
  {
    header: 'Kind',
    cell: ({ kind, payoutId, explained, reference, reason }) => (
      <>
        {entryKindLabels[kind]}
        {reason !== null && (
          <span className="block text-13 text-muted [overflow-wrap:anywhere]">
            {reason} ({reference})
          </span>
        )}
        {payoutId !== null && <span className="font-mono text-12 text-muted"> {payoutId}</span>}
        {explained !== null && explained !== '0.00' && (
          <span className="block text-13 text-muted">
            {formatMoney(explained)} may be a payout that the platform has not booked yet
          </span>
        )}
      </>
    ),
  },
  { header: 'Amount', align: 'right', cell: ({ amount }) => <Result amount={amount} /> },
  { header: 'Balance', align: 'right', cell: ({ balance }) => formatMoney(balance) },
]
