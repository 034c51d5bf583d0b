import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import type { AuditAccountFound } from '#services/oversight/audit/audit-api.ts'
import { AddressLink } from '@/ui/address-link.tsx'
import { AccountStatusBadge, Badge, BannedBadge } from '@/ui/badge.tsx'
import type { Column } from '@/ui/data-table.tsx'
import { ButtonLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { CopyableId, DateText } from '@/ui/text.tsx'
import { RoleNotice } from '@/features/frame/access.tsx'
import { SearchField } from '@/lists/list-controls.tsx'
import { ListTable } from '@/lists/list-table.tsx'
import { auditAddressOf } from '@/addresses.ts'
import { accountsPageQuery } from './audit-queries.ts'

const route = getRouteApi('/admin/audit/')

const columns: readonly Column<AuditAccountFound>[] = [
  { header: 'ID', cell: ({ userId, fullName }) => <CopyableId id={userId} of={fullName} /> },
  {
    header: 'Name',
    cell: ({ userId, fullName, banned, deleted }) => (
      <span className="inline-flex flex-wrap items-center gap-2 max-md:justify-end">
        <AddressLink look="name" href={auditAddressOf(userId)}>
          {fullName}
        </AddressLink>
        {banned && <BannedBadge />}
        {deleted && <Badge>Deleted</Badge>}
      </span>
    ),
  },
  { header: 'Email', className: '[overflow-wrap:anywhere]', cell: ({ email }) => email },
  { header: 'Account Status', cell: ({ status }) => <AccountStatusBadge status={status} /> },
  { header: 'Joined', cell: ({ createdAt }) => <DateText at={createdAt} how="words" /> },
]

/** Finds the account to look into. */
export function AuditAccountsPage() {
  const { search, cursor } = route.useSearch()
  const router = useRouter()
  const accounts = useQuery(accountsPageQuery(search, cursor))
  return (
    <>
      <PageHeader
        title="Audit"
        action={
          <ButtonLink look="secondary" to="/admin/audit/facts">
            Activity of the firm
          </ButtonLink>
        }
      >
        Find an account, see it as it was at any moment, and who changed it and why.
      </PageHeader>
      <RoleNotice />
      <search className="mb-4 block max-w-xl">
        <SearchField placeholder="Name, email, broker login or id" />
      </search>
      <ListTable
        label="Users"
        columns={columns}
        list={accounts}
        rowId={({ userId }) => userId}
        onOpen={({ userId }) => router.history.push(auditAddressOf(userId))}
        empty={
          <EmptyState title="No accounts found">Try another search. Deleted users are found by their id.</EmptyState>
        }
      />
    </>
  )
}
