import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Download, X } from 'lucide-react'
import type { AdminPayout } from '../../../../../services/api/payout-schemas.ts'
import { optionsOf, payoutStatuses, payoutStatusLabels } from '../../../../../services/api/vocabulary.ts'
import { formatMoney } from '../../../format/money.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { DataTable } from '../../../ui/data-table.tsx'
import { Select } from '../../../ui/field.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { AuditorNotice, useIsAuditor } from '../access.tsx'
import { statsQuery } from '../dashboard/statistics-queries.ts'
import { FiguresRow } from '../figures-row.tsx'
import { FROM_THE_START, ROWS, useChangeAddress, usePaging } from '../lists/address.ts'
import { ListFooter } from '../lists/list-footer.tsx'
import { LoadFailure } from '../lists/load-failure.tsx'
import { SearchField } from '../lists/search-field.tsx'
import { DecisionKeys } from './decision-keys.tsx'
import { DecideContext } from './decide-context.ts'
import { payoutPageColumns } from './payouts-table.tsx'
import { payoutPageOf, payoutsCsv, payoutsQuery } from './payout-management-queries.ts'
import { useVerdicts } from './use-verdicts.tsx'

const route = getRouteApi('/admin/payouts')

const statuses = [...optionsOf(payoutStatuses, payoutStatusLabels), { value: 'decided', label: 'Approved or rejected' }]
const orders = [
  { value: 'createdAt', label: 'Oldest first' },
  { value: '-amount', label: 'Largest amount' },
  { value: 'amount', label: 'Smallest amount' },
  { value: 'status', label: 'Status, A to Z' },
  { value: '-status', label: 'Status, Z to A' },
]
const none: readonly AdminPayout[] = []
const payoutIdOf = ({ id }: AdminPayout) => id

/** Payout management: figures and the table of requests (specification §2). */
export function AdminPayoutsPage() {
  const { search, status, of, sort, size, cursor } = route.useSearch()
  const change = useChangeAddress()
  const isAuditor = useIsAuditor()
  const list = payoutPageOf({ search, status, of, sort, size, cursor })
  const payouts = useQuery(payoutsQuery(list))
  const stats = useQuery(statsQuery)
  const paging = usePaging('cursor', cursor, payouts.data?.next)
  const { decide, shortcuts, dialog } = useVerdicts(payouts.data?.items ?? none)
  const figures = stats.data?.payouts

  const filter = (changes: Readonly<Record<string, string | undefined>>) => void change({ ...FROM_THE_START, ...changes })
  return (
    <DecideContext value={decide}>
      <PageHeader title="Payout Management">Approve or reject requests. Traders see the decision and your notes immediately.</PageHeader>
      <AuditorNotice />
      <FiguresRow
        label="Payouts in figures"
        failed={stats.isError}
        figures={[
          { label: 'Total Requests', value: figures?.total },
          { label: 'Pending', value: figures?.pending },
          { label: 'Approved Amount', value: figures && formatMoney(figures.approvedAmount) },
          { label: 'Pending Amount', value: figures && formatMoney(figures.pendingAmount) },
        ]}
      />
      <search className="mb-4 grid grid-cols-2 items-end gap-3 md:grid-cols-[minmax(200px,1fr)_repeat(2,minmax(144px,auto))_auto]">
        <SearchField
          label="Search"
          placeholder="Name, email or request id"
          value={search ?? ''}
          onSearch={(text) => change({ ...FROM_THE_START, search: text }, { replace: search !== undefined })}
          className="max-md:col-span-2"
        />
        <Select label="Status" placeholder="All" options={statuses} value={status ?? ''} onChange={(event) => filter({ status: event.target.value })} />
        <Select label="Order" placeholder="Newest first" options={orders} value={sort ?? ''} onChange={(event) => filter({ sort: event.target.value })} />
        <a className={buttonClass('secondary', 'max-md:col-span-2')} href={payoutsCsv(list)} download>
          <Download size={16} aria-hidden />
          Export CSV
        </a>
      </search>
      {of !== undefined && (
        <p className="mb-3 flex flex-wrap items-center gap-2 text-13">
          Only payouts of {payouts.data?.items[0]?.user.fullName ?? `the user ${of}`}
          <Button look="secondary" className="h-7! px-2! text-13!" onClick={() => filter({ of: undefined })}>
            <X size={14} aria-hidden />
            Show all
          </Button>
        </p>
      )}
      <DataTable
        label="Payout requests"
        columns={payoutPageColumns}
        rows={payouts.data?.items}
        rowId={payoutIdOf}
        busy={payouts.isPlaceholderData}
        expectedRows={10}
        empty={<EmptyState title="No payout requests found">Try another search or fewer filters.</EmptyState>}
        error={
          payouts.isError && !payouts.data ? (
            <LoadFailure title="Payout requests could not be loaded" error={payouts.error} onRetry={() => void payouts.refetch()} />
          ) : undefined
        }
        sort={sort}
        onSort={(to) => filter({ sort: to })}
        onOpen={(payout) => decide(payout, 'review')}
        shortcuts={shortcuts}
        footer={<ListFooter what="payout requests" page={payouts.data} size={size ?? ROWS} {...paging} />}
      />
      {!isAuditor && <DecisionKeys />}
      {dialog}
    </DecideContext>
  )
}
