import {
  payoutAges,
  paymentStateLabels,
  paymentStates,
  promiseKindLabels,
  promiseKinds,
  payoutStatuses,
  payoutStatusLabels,
} from '#services/trading/stream/payout-vocabulary.ts'
import { optionsOf } from '#services/framework/api/options.ts'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type AdminPayout, payoutRoutes } from '#services/payments/payouts/payout-api.ts'
import { counted, formatCount } from '@/format/counts.ts'
import { formatMoney } from '@/format/money.ts'
import { Button } from '@/ui/button.tsx'
import { DownloadLink } from '@/ui/link.tsx'
import { findRow } from '@/ui/data-table.tsx'
import { ButtonLink, TextLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { RoleNotice, useMay } from '@/features/frame/access.tsx'
import { SavedViews } from '@/features/identity/saved-views/saved-views.tsx'
import { FiguresRow } from '@/ui/figures-row.tsx'
import { accountLabel } from '@/format/account-name.ts'
import { FROM_THE_START, useChangeAddress } from '@/lists/address.ts'
import { AmountFilter, DayFilter, Filter, Filters, SearchField } from '@/lists/list-controls.tsx'
import { csvOf } from '@/lists/list-query.ts'
import { ListTable } from '@/lists/list-table.tsx'
import { auditorColumns, payoutIdOf, payoutPageColumns } from './payouts-table.tsx'
import { methodOptions } from './methods.ts'
import { payoutFilters, payoutFiguresQuery, payoutPageOf, payoutsQuery, type Verdict } from './staff-payout-queries.ts'
import { PayoutSelectionBar, SelectionContext, useSelection } from './selection.tsx'
import { DecideContext, DecisionKeys, useVerdicts } from './use-verdicts.tsx'
import { lazyPart } from '@/lazy-page.ts'

const BulkDialog = lazyPart(() => import('./bulk-dialog.tsx').then(({ BulkDialog }) => BulkDialog))
const route = getRouteApi('/admin/payouts')

/** The parts of the address that a saved view keeps. */
const viewed = ['status', 'sort', 'of', 'ofAccount', ...payoutFilters]
const statuses = [...optionsOf(payoutStatuses, payoutStatusLabels), { value: 'decided', label: 'Approved or rejected' }]
const payments = optionsOf(paymentStates, paymentStateLabels)
const approvals = [{ value: 'first', label: '1 of 2' }]
const overdue = optionsOf(promiseKinds, promiseKindLabels)
const ageOptions = payoutAges.map((days) => ({ value: days, label: `Over ${counted(Number(days), 'day')}` }))
const orders = [
  { value: '-createdAt', label: 'Newest first' },
  { value: 'createdAt', label: 'Oldest first' },
  { value: '-amount', label: 'Largest amount' },
  { value: 'amount', label: 'Smallest amount' },
  { value: 'status', label: 'Status, A to Z' },
  { value: '-status', label: 'Status, Z to A' },
]

interface StaffPayoutsPageProps {
  /** Reads how many requests there are, and their sums. */
  readonly useStats: () => UseQueryResult<{
    readonly payouts: Readonly<
      Record<'total' | 'pending' | 'unpaid', number> &
        Record<'approvedAmount' | 'pendingAmount' | 'unpaidAmount', string>
    >
  }>
}

/** Payout management: figures and the table of requests (specification §2). */
export function StaffPayoutsPage({ useStats }: StaffPayoutsPageProps) {
  const address = route.useSearch()
  const mayExport = useMay('export')
  const list = payoutPageOf(address)
  const payouts = useQuery(payoutsQuery(list))
  const stats = useStats()
  const mayDecide = useMay('decide-payouts')
  const selection = useSelection(payouts.data?.items)
  // The payouts as they were chosen: the list changes while they are decided.
  const [bulk, setBulk] = useState<{ readonly verdict: Verdict; readonly payouts: readonly AdminPayout[] }>()
  const decideSelected = (verdict: Verdict) =>
    selection.chosen.length > 0 && setBulk({ verdict, payouts: selection.chosen })
  const { decide, shortcuts, dialog } = useVerdicts(payouts.data?.items, {
    select: ({ id, status }) => status === 'pending' && selection.toggle(id),
    selectAll: selection.toggleAll,
    decide: decideSelected,
  })
  const figures = stats.data?.payouts
  const isFiltered = [
    address.search,
    address.of,
    address.ofAccount,
    ...payoutFilters.map((name) => address[name]),
  ].some((one) => one !== undefined)
  const found = useQuery({ ...payoutFiguresQuery(list), enabled: isFiltered })
  const filtersOn = [address.sort, ...payoutFilters.map((name) => address[name])].filter(
    (one) => one !== undefined,
  ).length
  return (
    <DecideContext value={decide}>
      <SelectionContext value={selection.context}>
        <PageHeader
          title="Payout Management"
          dense
          action={
            <ButtonLink look="secondary" to="/admin/payouts/batches">
              Batches
            </ButtonLink>
          }
        >
          {mayDecide
            ? 'Approve or reject requests. Traders see the decision and your notes immediately.'
            : 'All requests, and what was decided about each.'}
        </PageHeader>
        <RoleNotice />
        {isFiltered ? (
          <FiguresRow
            dense
            label="Filtered payouts in figures"
            failed={found.isError}
            onRetry={found.refetch}
            figures={[
              { label: 'Found', value: found.data?.count, context: found.data?.exact === false && 'the newest' },
              { label: 'Amount', value: found.data && formatMoney(found.data.amount) },
              { label: 'Traders Receive', value: found.data && formatMoney(found.data.traderReceives) },
              { label: 'Of It Not Paid', value: found.data && formatMoney(found.data.unpaid) },
            ]}
          />
        ) : (
          <FiguresRow
            dense
            label="Payouts in figures"
            failed={stats.isError}
            onRetry={stats.refetch}
            figures={[
              { label: 'Total Requests', value: figures?.total, href: '/admin/payouts' },
              { label: 'Pending', value: figures?.pending, href: '/admin/payouts?status=pending' },
              {
                label: 'Approved Amount',
                value: figures && formatMoney(figures.approvedAmount),
                href: '/admin/payouts?status=approved',
              },
              {
                label: 'Pending Amount',
                value: figures && formatMoney(figures.pendingAmount),
                href: '/admin/payouts?status=pending&sort=-amount',
              },
              {
                label: 'Not Paid Yet',
                value: figures && formatMoney(figures.unpaidAmount),
                context: figures && `${formatCount(figures.unpaid)} approved`,
              },
            ]}
          />
        )}
        <search className="mb-1 grid grid-cols-2 items-end gap-3 md:grid-cols-4 lg:grid-cols-5">
          <SearchField placeholder="Name, email, id or reference" className="max-lg:col-span-full" />
          <Filter name="status" label="Status" options={statuses} />
          <Filters
            on={filtersOn}
            folded={
              <>
                <Filter name="payment" label="Payment" options={payments} />
                <Filter name="method" label="Method" options={methodOptions} />
                <Filter name="olderThan" label="Waiting" none="Any time" options={ageOptions} />
                <Filter name="approvals" label="Approvals" options={approvals} />
                <Filter name="overdue" label="Overdue" options={overdue} />
                <Filter name="sort" label="Order" none="Pending first" options={orders} />
                <AmountFilter name="minAmount" label="From Amount" />
                <AmountFilter name="maxAmount" label="To Amount" />
                <DayFilter name="from" label="Requested From" />
                <DayFilter name="to" label="Requested Until" />
              </>
            }
          >
            <SavedViews list="payouts" names={viewed} />
            {mayExport && (
              <DownloadLink href={csvOf(payoutRoutes.payoutsExport, list)} className="max-md:col-span-2">
                Export CSV
              </DownloadLink>
            )}
          </Filters>
        </search>
        {(address.of ?? address.ofAccount) !== undefined && (
          <Only of={{ of: undefined, ofAccount: undefined }}>
            Only payouts of {payouts.data?.items[0]?.user.fullName ?? `the user ${address.of ?? ''}`}
            {address.ofAccount !== undefined && `, ${accountLabel(address.ofAccount)}`}
          </Only>
        )}
        {address.batch !== undefined && (
          <Only of={{ batch: undefined }}>
            Only payouts in{' '}
            <TextLink to="/admin/payouts/batches/$id" params={{ id: address.batch }}>
              one batch
            </TextLink>
          </Only>
        )}
        <div className="mb-1 flex min-h-9 flex-wrap items-center justify-between gap-x-6">
          {mayDecide && (
            <PayoutSelectionBar
              waiting={selection.waiting}
              chosen={selection.chosen}
              all={selection.all}
              onToggleAll={selection.toggleAll}
              onDecide={decideSelected}
            />
          )}
          {/* The buttons that decide what is selected take its place. */}
          {selection.chosen.length === 0 && <DecisionKeys selecting className="" />}
        </div>
        <ListTable
          label="Payout requests"
          columns={mayDecide ? payoutPageColumns : auditorColumns}
          list={payouts}
          rowId={payoutIdOf}
          adjustable
          empty={<EmptyState title="No payout requests found">Try another search or fewer filters.</EmptyState>}
          onOpen={(payout) => decide(payout, 'review')}
          shortcuts={shortcuts}
        />
        {dialog}
        {bulk && (
          <BulkDialog
            {...bulk}
            onDone={selection.choose}
            onClose={() => setBulk(undefined)}
            returnTo={() => findRow(selection.waiting[0]?.id ?? '')}
          />
        )}
      </SelectionContext>
    </DecideContext>
  )
}

interface OnlyProps {
  /** The filters that its button ends. */
  readonly of: Parameters<ReturnType<typeof useChangeAddress>>[0]
  readonly children: ReactNode
}

/** A filter that a link has set. */
function Only({ of, children }: OnlyProps) {
  const change = useChangeAddress()
  return (
    <p className="mb-3 flex flex-wrap items-center gap-2 text-13">
      {children}
      <Button
        look="secondary"
        className="h-7! px-2! text-13!"
        onClick={() => void change({ ...FROM_THE_START, ...of })}
      >
        <X size={14} aria-hidden />
        Show all
      </Button>
    </p>
  )
}
