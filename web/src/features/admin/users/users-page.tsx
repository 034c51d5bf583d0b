import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Download, UserPlus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { accountStatuses, accountStatusLabels, optionsOf } from '../../../../../services/api/vocabulary.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Select } from '../../../ui/field.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { AuditorNotice, useIsAuditor } from '../access.tsx'
import { FiguresRow } from '../figures-row.tsx'
import { statsQuery } from '../dashboard/statistics-queries.ts'
import { FROM_THE_START, ROWS, useChangeAddress, usePaging } from '../lists/address.ts'
import { ListFooter } from '../lists/list-footer.tsx'
import { LoadFailure } from '../lists/load-failure.tsx'
import { SearchField } from '../lists/search-field.tsx'
import { userPageOf, usersCsv, usersQuery } from './user-management-queries.ts'
import { useOpenUser } from './user-link.tsx'
import { UsersTable } from './users-table.tsx'

const route = getRouteApi('/admin/users')
const UserForm = lazy(() => import('./user-form.tsx').then((module) => ({ default: module.UserForm })))

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
/** Orders that only the headings of the table offer: the choice names them while they are on. */
const headingOrders: Readonly<Record<string, string>> = {
  email: 'Email',
  login: 'Broker Login',
  status: 'Account Status',
  phase: 'Phase',
  payoutEnabled: 'Payouts',
}

/** User management: count cards and the table, searched, filtered, sorted and paged by the server (specification §2). */
export function AdminUsersPage() {
  const { search, status, phase, payouts, sort, size, cursor } = route.useSearch()
  const change = useChangeAddress()
  const client = useQueryClient()
  const open = useOpenUser()
  const isAuditor = useIsAuditor()
  const [adding, setAdding] = useState(false)
  const list = userPageOf({ search, status, phase, payouts, sort, size, cursor })
  const users = useQuery(usersQuery(list))
  const stats = useQuery(statsQuery)
  const paging = usePaging('cursor', cursor, users.data?.next)
  const counts = stats.data?.users

  const find = (text: string) => {
    // The request leaves before the address changes: a navigation takes longer than the answer.
    void client.prefetchQuery(usersQuery({ ...list, search: text.trim() || undefined, cursor: undefined }))
    return change({ ...FROM_THE_START, search: text }, { replace: search !== undefined })
  }
  const filter = (changes: Readonly<Record<string, string | undefined>>) => void change({ ...FROM_THE_START, ...changes })
  const heading = sort === undefined ? undefined : headingOrders[sort.replace('-', '')]
  return (
    <>
      <PageHeader
        title="User Management"
        action={
          !isAuditor && (
            <Button onClick={() => setAdding(true)}>
              <UserPlus size={16} aria-hidden />
              Add User
            </Button>
          )
        }
      >
        Find a trader, see the whole account, decide about it.
      </PageHeader>
      <AuditorNotice />
      <FiguresRow
        label="Users by status"
        failed={stats.isError}
        figures={[
          { label: 'Total', value: counts?.total },
          { label: 'Active', value: counts?.active },
          { label: 'Pending', value: counts?.pending },
          { label: 'Under Review', value: counts?.underReview },
          { label: 'Breached', value: counts?.breached },
        ]}
      />
      <search className="mb-4 grid grid-cols-2 items-end gap-3 md:grid-cols-4 lg:grid-cols-[minmax(200px,1fr)_repeat(4,minmax(112px,auto))_auto]">
        <SearchField label="Search" placeholder="Name, email or broker login" value={search ?? ''} onSearch={find} className="max-lg:col-span-full" />
        <Select label="Account Status" placeholder="All" options={statuses} value={status ?? ''} onChange={(event) => filter({ status: event.target.value })} />
        <Select
          label="Phase"
          placeholder="All"
          options={withChosen(phases, phase)}
          value={phase ?? ''}
          onChange={(event) => filter({ phase: event.target.value })}
        />
        <Select label="Payouts" placeholder="All" options={payoutChoices} value={payouts ?? ''} onChange={(event) => filter({ payouts: event.target.value })} />
        <Select
          label="Order"
          placeholder="Newest first"
          options={heading === undefined || sort === undefined ? orders : [...orders, { value: sort, label: heading }]}
          value={sort ?? ''}
          onChange={(event) => filter({ sort: event.target.value })}
        />
        <a className={buttonClass('secondary', 'max-lg:col-span-full')} href={usersCsv(list)} download>
          <Download size={16} aria-hidden />
          Export CSV
        </a>
      </search>
      <UsersTable
        rows={users.data?.items}
        busy={users.isPlaceholderData}
        error={
          users.isError && !users.data ? <LoadFailure title="Users could not be loaded" error={users.error} onRetry={() => void users.refetch()} /> : undefined
        }
        sort={sort}
        onSort={(to) => filter({ sort: to })}
        onOpen={({ id }) => open(id)}
        footer={<ListFooter what="users" page={users.data} size={size ?? ROWS} {...paging} />}
      />
      <Suspense>{adding && <UserForm onClose={() => setAdding(false)} />}</Suspense>
    </>
  )
}

/** The choices with the one that is on, which may come from a link and be none of ours. */
function withChosen(options: readonly { readonly value: string; readonly label: string }[], chosen: string | undefined) {
  const isKnown = chosen === undefined || options.some(({ value }) => value === chosen)
  return isKnown ? options : [...options, { value: chosen, label: chosen }]
}
