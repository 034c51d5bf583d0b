import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { AccountTrade } from '#services/trading/accounts/standing-api.ts'
import { ListTable } from '@/lists/list-table.tsx'
import { formatMoney } from '@/format/money.ts'
import { Card } from '@/ui/card.tsx'
import type { Column } from '@/ui/data-table.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { DateText, Result } from '@/ui/text.tsx'
import type { AccountReads } from './account-reads.ts'
import { EventLink } from './event-link.tsx'

interface TradesCardProps {
  readonly read: AccountReads['trades']
  /** The search parameter with the page. */
  readonly cursor: 'cursor' | 'rows'
}

/** The trades of an account, page by page. */
export function TradesCard({ read, cursor }: TradesCardProps) {
  const trades = useQuery(read(useSearch({ strict: false })[cursor]))
  return (
    <Card title="Trades">
      <ListTable
        label="Trades"
        cursor={cursor}
        list={trades}
        columns={columns}
        rowId={tradeId}
        expectedRows={4}
        empty={<EmptyState title="No trades">No single trade of this account is known.</EmptyState>}
      />
    </Card>
  )
}

const tradeId = ({ id }: AccountTrade) => id

const columns: readonly Column<AccountTrade>[] = [
  {
    header: 'Trade',
    cell: ({ id }) => <span className="font-mono text-12 break-all">{id}</span>,
    inCard: { at: 'start', line: 1 },
  },
  {
    header: 'Symbol',
    cell: ({ symbol, side }) => <span className="whitespace-nowrap">{[symbol, side].filter(Boolean).join(' ')}</span>,
    inCard: { at: 'start', line: 3 },
  },
  {
    header: 'Opened',
    cell: ({ openedAt }) => openedAt !== null && <DateText at={openedAt} how="exact" />,
    hiddenWhenNarrow: true,
  },
  {
    header: 'Closed',
    cell: ({ closedAt }) => <DateText at={closedAt} how="exact" />,
    inCard: { at: 'start', line: 2 },
  },
  { header: 'Volume', align: 'right', cell: ({ volume }) => volume },
  {
    header: 'Prices',
    align: 'right',
    cell: ({ openPrice, closePrice }) =>
      (openPrice ?? closePrice) !== null && (
        <span className="whitespace-nowrap">{`${openPrice ?? '?'} – ${closePrice ?? '?'}`}</span>
      ),
    hiddenWhenNarrow: true,
    inCard: { at: 'end', line: 3 },
  },
  {
    header: 'Result',
    align: 'right',
    cell: ({ result }) => <Result amount={result} />,
    inCard: { at: 'end', line: 1 },
  },
  {
    header: 'Balance',
    align: 'right',
    cell: ({ balance }) => formatMoney(balance),
    inCard: { at: 'end', line: 2 },
  },
  {
    header: 'Event',
    align: 'right',
    cell: ({ event }) => event !== null && <EventLink number={event} />,
    inCard: { at: 'line', line: 4 },
  },
]
