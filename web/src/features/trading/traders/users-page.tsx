import { traderRoutes } from '#services/trading/traders/trader-api.ts'
import { accountStatuses, accountStatusLabels } from '#services/trading/stream/account-vocabulary.ts'
import { optionsOf } from '#services/framework/api/options.ts'
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Option } from '@/ui/field.tsx'
import { ButtonLink, DownloadLink, TextLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { RoleNotice, useMay } from '@/features/frame/access.tsx'
import { SavedViews } from '@/features/identity/saved-views/saved-views.tsx'
import { FiguresRow } from '@/ui/figures-row.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { Filter, Filters, SearchField } from '@/lists/list-controls.tsx'
import { csvOf } from '@/lists/list-query.ts'
import { ListTable } from '@/lists/list-table.tsx'
import { RowKeys, usePageKeys } from '@/lists/use-page-keys.tsx'
import { AddUserButton } from './add-user-button.tsx'
import { userPageOf, usersQuery } from './user-queries.ts'
import { useOpenUser } from '@/features/frame/user-link.tsx'
import { columnsFor, userPageColumns, userRows } from './users-table.tsx'

const route = getRouteApi('/admin/users')

/** The parts of the address that a saved view keeps. */
const viewed = ['status', 'phase', 'payouts', 'sort']
const statuses = [...optionsOf(accountStatuses, accountStatusLabels), { value: 'banned', label: 'Banned' }]
const payoutChoices = [
  { value: 'true', label: 'Enabled' },
  { value: 'false', label: 'Disabled' },
]
const phases = ['Phase 1', 'Phase 2', 'Evaluation', 'Funded'].map((phase) => ({ value: phase, label: phase }))
const orders = [
  { value: 'createdAt', label: 'Oldest first' },
  { value: 'fullName', label: 'Name, A to Z' },
  { value: '-fullName', label: 'Name, Z to A' },
  { value: '-balance', label: 'Highest balance' },
  { value: 'balance', label: 'Lowest balance' },
  { value: '-profitLoss', label: 'Highest profit' },
  { value: 'profitLoss', label: 'Deepest loss' },
]
/** The choice also names an order that only a heading of the table offers, while it is on. */
function ordersWith(chosen = ''): readonly Option[] {
  const heading = userPageColumns.find(({ sort }) => sort === chosen.replace('-', ''))?.header
  return heading === undefined || orders.some(({ value }) => value === chosen)
    ? orders
    : [...orders, { value: chosen, label: heading }]
}

interface UsersPageProps {
  /** Reads how many users have each status. */
  readonly useStats: () => UseQueryResult<{
    readonly users: Readonly<Record<'total' | 'active' | 'pending' | 'underReview' | 'breached', number>>
  }>
}

/**
 * User management: count cards and the table, searched, filtered, sorted and paged by the server (specification §2).
 */
export function UsersPage({ useStats }: UsersPageProps) {
  const address = route.useSearch()
  const client = useQueryClient()
  const open = useOpenUser()
  const mayExport = useMay('export')
  const mayChange = useMay('change-accounts')
  const list = userPageOf(address)
  const users = useQuery(usersQuery(list))
  usePageKeys(users.data?.items)
  const stats = useStats()
  const counts = stats.data?.users
  return (
    <>
      <PageHeader
        title="User Management"
        action={
          <>
            <ButtonLink look="secondary" to="/admin/imports">
              Imports
            </ButtonLink>
            <AddUserButton />
          </>
        }
      >
        {mayChange
          ? 'Find a trader, see the whole account, decide about it.'
          : 'Find a trader, and see the whole account.'}
      </PageHeader>
      <RoleNotice />
      <FiguresRow
        label="Users by status"
        failed={stats.isError}
        onRetry={stats.refetch}
        figures={[
          { label: 'Total', value: counts?.total, href: '/admin/users' },
          { label: 'Active', value: counts?.active, href: '/admin/users?status=active' },
          { label: 'Pending', value: counts?.pending, href: '/admin/users?status=pending' },
          { label: 'Under Review', value: counts?.underReview, href: '/admin/users?status=under-review' },
          { label: 'Breached', value: counts?.breached, href: '/admin/users?status=breached' },
        ]}
      />
      <search className="mb-4 grid grid-cols-2 items-end gap-3 md:grid-cols-4 lg:grid-cols-[minmax(200px,1fr)_repeat(4,minmax(112px,auto))_auto]">
        <SearchField
          placeholder="Name, email, login, order or payment"
          // The request leaves before the address changes: a navigation takes longer than the answer.
          onSearch={(text) =>
            void client.prefetchQuery(usersQuery({ ...list, search: text.trim() || undefined, cursor: undefined }))
          }
          className="max-lg:col-span-full"
        />
        <Filters
          on={[address.status, address.phase, address.payouts, address.sort].filter((one) => one !== undefined).length}
        >
          <Filter name="status" label="Account Status" options={statuses} />
          <Filter name="phase" label="Phase" options={phases} />
          <Filter name="payouts" label="Payouts" options={payoutChoices} />
          <Filter name="sort" label="Order" none="Newest first" options={ordersWith(address.sort)} />
          {mayExport && (
            <DownloadLink
              href={csvOf(traderRoutes.usersExport, list)}
              className="max-md:col-span-full md:max-lg:justify-self-start"
            >
              Export CSV
            </DownloadLink>
          )}
          <SavedViews list="users" names={viewed} />
        </Filters>
      </search>
      <RowKeys opens="a user" />
      <ListTable
        {...userRows}
        label="Users"
        columns={columnsFor(address.sort)}
        list={users}
        adjustable
        empty={address.search ? <NobodyFound search={address.search} /> : userRows.empty}
        onOpen={({ id }) => open(id)}
      />
    </>
  )
}

/** What is quoted may be an order that was paid, and belongs to no user. */
function NobodyFound({ search }: { readonly search: string }) {
  return (
    <EmptyState title="No users found">
      Try another search, or fewer filters. An order that was paid and not taken is{' '}
      <TextLink to="/admin/tasks" search={{ search }}>
        under Tasks
      </TextLink>
      .
    </EmptyState>
  )
}
