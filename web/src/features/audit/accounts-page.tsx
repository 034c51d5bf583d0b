import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import type { AuditAccountFound } from '../../../../services/api/audit-schemas.ts'
import { AddressLink } from '../../ui/address-link.tsx'
import { AccountStatusBadge, Badge, BannedBadge } from '../../ui/badge.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { CopyableId, DateText } from '../../ui/text.tsx'
import { AuditorNotice } from '../admin/access.tsx'
import { FROM_THE_START, useChangeAddress, usePaging } from '../admin/lists/address.ts'
import { ListFooter } from '../admin/lists/list-footer.tsx'
import { LoadFailure } from '../admin/lists/load-failure.tsx'
import { SearchField } from '../admin/lists/search-field.tsx'
import { auditAddressOf } from './addresses.ts'
import { accountsPageQuery } from './audit-queries.ts'

const route = getRouteApi('/admin/audit/')

const columns: readonly Column<AuditAccountFound>[] = [
  { id: 'id', header: 'ID', cell: ({ userId, fullName }) => <CopyableId id={userId} of={fullName} /> },
  {
    id: 'name',
    header: 'Name',
    cell: ({ userId, fullName, banned, deleted }) => (
      <span className="inline-flex flex-wrap items-center gap-2 max-md:justify-end">
        <AddressLink href={auditAddressOf(userId)} className="rounded-sm font-medium [overflow-wrap:anywhere] underline-offset-4 hover:underline">
          {fullName}
        </AddressLink>
        {banned && <BannedBadge />}
        {deleted && <Badge>Deleted</Badge>}
      </span>
    ),
  },
  { id: 'email', header: 'Email', className: '[overflow-wrap:anywhere]', cell: ({ email }) => email },
  { id: 'status', header: 'Account Status', cell: ({ status }) => <AccountStatusBadge status={status} /> },
  { id: 'joined', header: 'Joined', cell: ({ createdAt }) => <DateText at={createdAt} how="words" /> },
]

/** Finds the account to look into. */
export function AuditAccountsPage() {
  const { search, cursor } = route.useSearch()
  const change = useChangeAddress()
  const router = useRouter()
  const accounts = useQuery(accountsPageQuery(search, cursor))
  const paging = usePaging('cursor', cursor, accounts.data?.next)
  return (
    <>
      <PageHeader
        title="Audit"
        action={
          <ButtonLink look="secondary" to="/admin/audit/facts">
            Everything that was done
          </ButtonLink>
        }
      >
        Find an account, see it as it was at any moment, and who changed it and why.
      </PageHeader>
      <AuditorNotice />
      <search className="mb-4 block max-w-xl">
        <SearchField
          label="Search"
          placeholder="Name, email, broker login or id"
          value={search ?? ''}
          onSearch={(text) => change({ ...FROM_THE_START, search: text }, { replace: search !== undefined })}
        />
      </search>
      <DataTable
        label="Accounts"
        columns={columns}
        rows={accounts.data?.items}
        rowId={({ userId }) => userId}
        busy={accounts.isPlaceholderData}
        expectedRows={10}
        onOpen={({ userId }) => router.history.push(auditAddressOf(userId))}
        empty={<EmptyState title="No accounts found">Try another search. Somebody who was deleted is found by the id alone.</EmptyState>}
        error={
          accounts.isError && !accounts.data ? (
            <LoadFailure title="Accounts could not be loaded" error={accounts.error} onRetry={() => void accounts.refetch()} />
          ) : undefined
        }
        footer={<ListFooter what="accounts" page={accounts.data} {...paging} />}
      />
    </>
  )
}
