import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Check, X } from 'lucide-react'
import { use } from 'react'
import type { AdminPayout } from '../../../../../services/api/payout-schemas.ts'
import { IconButton } from '../../../ui/button.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { useIsAuditor } from '../access.tsx'
import { FROM_THE_START, useChangeAddress, usePaging } from '../lists/address.ts'
import { ListFooter } from '../lists/list-footer.tsx'
import { LoadFailure } from '../lists/load-failure.tsx'
import { SearchField } from '../lists/search-field.tsx'
import { DecisionKeys } from '../payouts/decision-keys.tsx'
import { DecideContext } from '../payouts/decide-context.ts'
import { payoutColumns } from '../payouts/payouts-table.tsx'
import { decidedPayoutsQuery, pendingPayoutsQuery } from '../payouts/payout-management-queries.ts'
import { useVerdicts } from '../payouts/use-verdicts.tsx'

const route = getRouteApi('/admin/')
const none: readonly AdminPayout[] = []

function unsorted({ sort: _, ...column }: Column<AdminPayout>): Column<AdminPayout> {
  return column
}

const { id, user, amount, method, date, status } = payoutColumns
const pendingColumns: readonly Column<AdminPayout>[] = [
  ...[id, user, amount, method, date].map(unsorted),
  { id: 'actions', header: 'Actions', headerHidden: true, align: 'right', cell: (payout) => <ApproveAndReject payout={payout} /> },
]
const historyColumns: readonly Column<AdminPayout>[] = [
  ...[id, user, amount, method, date, status].map(unsorted),
  { id: 'notes', header: 'Admin Notes', cell: ({ adminNotes }) => <Notes text={adminNotes} /> },
]

/** The payouts of /admin: pending requests and history (specification §2). */
export function PayoutsTab() {
  const { search, pending, history } = route.useSearch()
  const change = useChangeAddress()
  const isAuditor = useIsAuditor()
  const waiting = useQuery(pendingPayoutsQuery(search, pending))
  const decided = useQuery(decidedPayoutsQuery(search, history))
  const waitingPaging = usePaging('pending', pending, waiting.data?.next)
  const decidedPaging = usePaging('history', history, decided.data?.next)
  const { decide, shortcuts, dialog } = useVerdicts(waiting.data?.items ?? none)
  return (
    <DecideContext value={decide}>
      <search className="mb-4 block">
        <SearchField
          label="Search"
          placeholder="User name, email or request id"
          value={search ?? ''}
          onSearch={(text) => change({ ...FROM_THE_START, search: text }, { replace: search !== undefined })}
        />
      </search>
      <h2 className="mb-3 text-16 font-semibold">Pending requests</h2>
      <DataTable
        label="Pending requests"
        columns={pendingColumns}
        rows={waiting.data?.items}
        rowId={payoutIdOf}
        busy={waiting.isPlaceholderData}
        empty={<EmptyState title="No pending payout requests">Every request has been decided.</EmptyState>}
        error={
          waiting.isError && !waiting.data ? (
            <LoadFailure title="Payout requests could not be loaded" error={waiting.error} onRetry={() => void waiting.refetch()} />
          ) : undefined
        }
        onOpen={(payout) => decide(payout, 'review')}
        shortcuts={shortcuts}
        footer={<ListFooter what="pending requests" page={waiting.data} {...waitingPaging} />}
      />
      {!isAuditor && <DecisionKeys />}
      <h2 className="mt-8 mb-3 text-16 font-semibold">History</h2>
      <DataTable
        label="History"
        columns={historyColumns}
        rows={decided.data?.items}
        rowId={payoutIdOf}
        busy={decided.isPlaceholderData}
        empty={<EmptyState title="No payout requests found">Approved and rejected payouts appear here.</EmptyState>}
        error={
          decided.isError && !decided.data ? (
            <LoadFailure title="The history could not be loaded" error={decided.error} onRetry={() => void decided.refetch()} />
          ) : undefined
        }
        onOpen={(payout) => decide(payout, 'review')}
        footer={<ListFooter what="decided requests" page={decided.data} {...decidedPaging} />}
      />
      {dialog}
    </DecideContext>
  )
}

function payoutIdOf(payout: AdminPayout): string {
  return payout.id
}

function ApproveAndReject({ payout }: { readonly payout: AdminPayout }) {
  const decide = use(DecideContext)
  if (useIsAuditor()) return null
  return (
    <span className="inline-flex">
      <IconButton
        label="Approve"
        title={`Approve the payout of ${payout.user.fullName}`}
        className="size-8! text-good"
        onClick={() => decide(payout, 'approved')}
      >
        <Check size={16} aria-hidden />
      </IconButton>
      <IconButton label="Reject" title={`Reject the payout of ${payout.user.fullName}`} className="size-8! text-bad" onClick={() => decide(payout, 'rejected')}>
        <X size={16} aria-hidden />
      </IconButton>
    </span>
  )
}

/** Truncated; the row opens the request with the full notes. */
function Notes({ text }: { readonly text: string | null }) {
  if (!text) return <span className="text-muted">No notes</span>
  return (
    <span className="block max-w-[200px] truncate max-md:ml-auto md:max-lg:max-w-20" title={text}>
      {text}
    </span>
  )
}
