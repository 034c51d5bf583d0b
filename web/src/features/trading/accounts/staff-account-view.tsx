import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { accountRoutes } from '#services/trading/accounts/account-api.ts'
import { ledgerRoutes } from '#services/trading/accounts/ledger-api.ts'
import { ReadByStaff } from '@/account-in-address.ts'
import { addressOf } from '@/api/api.ts'
import { pageQuery, routeQuery } from '@/api/route-query.ts'
import { useMay } from '@/features/frame/access.tsx'
import { ownerOf } from '@/format/account-name.ts'
import { useChangeAddress } from '@/lists/address.ts'
import { ROWS } from '@/lists/list-query.ts'
import { Button } from '@/ui/button.tsx'
import { DownloadLink } from '@/ui/link.tsx'
import { ErrorState, LoadingLines } from '@/ui/states.tsx'
import { DecisionStamp } from '@/ui/text.tsx'
import type { AccountReads } from './account-reads.ts'
import { BreachNotice } from './breach-notice.tsx'
import { OverviewOfAccount, PerformanceOfAccount } from './account-views.tsx'
import { ledgerOfAccount } from './ledger-table.tsx'
import type { Range } from './performance.ts'
import { standingOfAccount, userHistoryQuery } from './staff-account-queries.ts'

const route = getRouteApi('/admin')

/** What staff read of any account. */
function staffReads(id: string): AccountReads {
  return {
    account: routeQuery(accountRoutes.account, { params: { id }, subjects: ['accounts', 'payouts'] }),
    standing: standingOfAccount(id),
    history: userHistoryQuery(ownerOf(id), id),
    trades: (page) =>
      pageQuery(accountRoutes.trades, {
        ...{ params: { id }, query: { limit: ROWS, ...page } },
        subjects: ['accounts', 'observations'],
      }),
    ledger: ledgerOfAccount(id),
  }
}

interface StaffAccountViewProps {
  readonly account: string
  readonly view: 'overview' | 'performance'
  /** Leads from the overview to profit and loss. */
  readonly onPerformance?: () => void
}

/** What the trader sees of an account, for staff: read-only, each figure with its event in the audit. */
export function StaffAccountView({ account: id, view, onPerformance }: StaffAccountViewProps) {
  const range: Range = route.useSearch().range ?? 'all'
  const change = useChangeAddress()
  const mayExport = useMay('export')
  const reads = staffReads(id)
  const account = useQuery(reads.account)
  if (!account.data)
    return account.isError ? (
      <ErrorState title="The account could not be loaded" error={account.error} onRetry={account.refetch} />
    ) : (
      <LoadingLines label="Loading the account" lines={8} />
    )
  const shown = {
    account: account.data,
    reads,
    range,
    onRange: (chosen: Range) => void change({ range: chosen === 'all' ? undefined : chosen }, { replace: true }),
  }
  return (
    <ReadByStaff value={ownerOf(id)}>
      <p className="mb-4 text-13 text-muted">As the trader sees it, in the trader’s words.</p>
      {account.data.status === 'breached' && (
        <BreachNotice
          account={account.data}
          why={<DecisionStamp stamp={account.data.stamps.status} full />}
          className="mb-4"
        />
      )}
      {view === 'overview' ? (
        <OverviewOfAccount
          {...shown}
          performanceLink={
            <Button look="quiet" className="h-8! px-2! text-13!" onClick={onPerformance}>
              Profit and loss without them
            </Button>
          }
        />
      ) : (
        <PerformanceOfAccount
          {...shown}
          cursor="rows"
          ledgerFile={
            mayExport && (
              <DownloadLink href={addressOf(ledgerRoutes.ledgerExport, { params: { id } })}>Download CSV</DownloadLink>
            )
          }
        />
      )}
    </ReadByStaff>
  )
}
