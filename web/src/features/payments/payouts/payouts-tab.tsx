import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Check, X } from 'lucide-react'
import { use } from 'react'
import type { AdminPayout } from '#services/payments/payouts/payout-api.ts'
import { IconButton } from '@/ui/button.tsx'
import { actionsColumn, type Column } from '@/ui/data-table.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { useMay } from '@/features/frame/access.tsx'
import { SearchField } from '@/lists/list-controls.tsx'
import { ListTable } from '@/lists/list-table.tsx'
import { ApprovalCount } from './approvals.tsx'
import { payoutColumns, payoutIdOf } from './payouts-table.tsx'
import { decidedPayoutsQuery, pendingPayoutsQuery } from './staff-payout-queries.ts'
import { DecideContext, DecisionKeys, useVerdicts } from './use-verdicts.tsx'

const route = getRouteApi('/admin/')

const { id, user, amount, method, date, status } = payoutColumns
const pendingColumns: readonly Column<AdminPayout>[] = [
  ...[id, user, amount, method, date],
  { ...actionsColumn, inCard: { at: 'end', line: 3 }, cell: (payout) => <ApproveAndReject payout={payout} /> },
]
const historyColumns: readonly Column<AdminPayout>[] = [
  ...[id, user, amount, method, date, status],
  { header: 'Admin Notes', inCard: { at: 'end', line: 3 }, cell: ({ adminNotes }) => <Notes text={adminNotes} /> },
]

/** The payouts of /admin: pending requests and history (specification §2). */
export function PayoutsTab() {
  const { search, pending, history } = route.useSearch()
  const waiting = useQuery(pendingPayoutsQuery(search, pending))
  const decided = useQuery(decidedPayoutsQuery(search, history))
  const { decide, shortcuts, dialog } = useVerdicts(waiting.data?.items)
  return (
    <DecideContext value={decide}>
      <search className="mb-4 block">
        <SearchField placeholder="User name, email or request id" />
      </search>
      <h2 className="mb-3 text-16 font-semibold">Pending requests</h2>
      <DecisionKeys />
      <ListTable
        label="Pending requests"
        columns={pendingColumns}
        list={waiting}
        rowId={payoutIdOf}
        cursor="pending"
        failure="Payout requests could not be loaded"
        expectedRows={5}
        empty={<EmptyState title="No pending payout requests">Every request has been decided.</EmptyState>}
        onOpen={(payout) => decide(payout, 'review')}
        shortcuts={shortcuts}
      />
      <h2 className="mt-8 mb-3 text-16 font-semibold">History</h2>
      <ListTable
        label="History"
        columns={historyColumns}
        list={decided}
        rowId={payoutIdOf}
        cursor="history"
        what="decided requests"
        failure="The history could not be loaded"
        expectedRows={5}
        empty={<EmptyState title="No payout requests found">Approved and rejected payouts appear here.</EmptyState>}
        onOpen={(payout) => decide(payout, 'review')}
      />
      {dialog}
    </DecideContext>
  )
}

function ApproveAndReject({ payout }: { readonly payout: AdminPayout }) {
  const decide = use(DecideContext)
  if (!useMay('decide-payouts')) return null
  return (
    <span className="inline-flex items-center">
      <ApprovalCount firstApproval={payout.firstApproval ?? payout.firstForfeit} />
      <IconButton
        label="Approve"
        title={`Approve the payout of ${payout.user.fullName}`}
        className="size-8! text-good"
        onClick={() => decide(payout, 'approved')}
      >
        <Check size={16} aria-hidden />
      </IconButton>
      <IconButton
        label="Reject"
        title={`Reject the payout of ${payout.user.fullName}`}
        className="size-8! text-bad"
        onClick={() => decide(payout, 'rejected')}
      >
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
