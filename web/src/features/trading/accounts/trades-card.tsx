import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { AccountTrade, TradeHit } from '#services/trading/accounts/standing-api.ts'
import { ListTable } from '@/lists/list-table.tsx'
import { centsOf, formatMoney } from '@/format/money.ts'
import { FROM_THE_START, useChangeAddress } from '@/lists/address.ts'
import { Card } from '@/ui/card.tsx'
import { Checkbox } from '@/ui/field.tsx'
import type { Column } from '@/ui/data-table.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { DateText, Result } from '@/ui/text.tsx'
import type { AccountReads } from './account-reads.ts'
import { EventLink } from './event-link.tsx'

interface TradesCardProps {
  readonly read: AccountReads['trades']
  /** The search parameter with the page. */
  readonly cursor: 'cursor' | 'rows'
  /** Whether a rule of the account judges single trades. */
  readonly isJudged: boolean
}

/** The trades of an account, page by page, with the rules that each hit. */
export function TradesCard({ read, cursor, isJudged }: TradesCardProps) {
  const { [cursor]: page, only } = useSearch({ strict: false })
  const change = useChangeAddress()
  const trades = useQuery(read({ cursor: page, only }))
  return (
    <Card
      title="Trades"
      action={
        (isJudged || only === 'marked') && (
          <Checkbox
            label="Only those that hit a rule"
            checked={only === 'marked'}
            onChange={({ target }) =>
              void change({ ...FROM_THE_START, only: target.checked ? 'marked' : undefined }, { replace: true })
            }
          />
        )
      }
    >
      <ListTable
        label="Trades"
        cursor={cursor}
        list={trades}
        columns={isJudged ? columns : unjudged}
        rowId={tradeId}
        expectedRows={4}
        empty={
          only === 'marked' ? (
            <EmptyState title="No hits">No trade of this account hit a rule.</EmptyState>
          ) : (
            <EmptyState title="No trades">No single trade of this account is known.</EmptyState>
          )
        }
      />
    </Card>
  )
}

const tradeId = ({ id }: AccountTrade) => id

const rulesColumn: Column<AccountTrade> = {
  header: 'Rules',
  cell: (trade) => <Marks trade={trade} />,
  inCard: { at: 'line', line: 5 },
}

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
  rulesColumn,
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

const unjudged = columns.filter((column) => column !== rulesColumn)

/** What the rules made of a trade, each in words. */
function Marks({ trade: { hits, counts } }: { readonly trade: AccountTrade }) {
  if (hits.length === 0) return null
  return (
    <ul className="flex min-w-40 flex-col gap-1 text-13">
      {hits.map((hit) => (
        <li key={hit.rule}>
          <span className={hit.outcome === 'tolerated' || hit.outcome === 'dismissed' ? undefined : 'text-bad'}>
            {hit.title}: {outcomeOf(hit)}.
          </span>{' '}
          <span className="text-muted">{hit.what}.</span> {hit.event !== null && <EventLink number={hit.event} />}
        </li>
      ))}
      {counts !== null && <li>{formatMoney(counts)} of the result still counts.</li>}
    </ul>
  )
}

const outcomes = {
  tolerated: 'tolerated',
  dismissed: 'a breach that was dismissed',
  breach: 'a breach',
  pause: 'trading paused',
  warning: 'a warning',
} as const

function outcomeOf({ outcome, excluded }: TradeHit): string {
  if (outcome !== 'excludes-profit') return outcomes[outcome]
  return centsOf(excluded) === 0 ? 'no profit to exclude' : `${formatMoney(excluded)} of the profit does not count`
}
