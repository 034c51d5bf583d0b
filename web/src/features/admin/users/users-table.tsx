import type { ListedUser } from '../../../../../services/api/user-schemas.ts'
import { accountStatusLabel } from '../../../format/status.ts'
import { AccountStatusBadge, Badge, BannedBadge } from '../../../ui/badge.tsx'
import { type Column, DataTable, type DataTableProps } from '../../../ui/data-table.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { CopyableId, DecisionStamp } from '../../../ui/text.tsx'
import { UserActions } from './user-actions.tsx'
import { UserLink } from './user-link.tsx'

/** The columns that the tables of users have in common. */
export const userColumns = {
  id: { id: 'id', header: 'ID', cell: ({ id, fullName }) => <CopyableId id={id} of={fullName} /> },
  name: {
    id: 'name',
    header: 'Name',
    sort: 'fullName',
    cell: ({ id, fullName, banned, banStamp, banReason }) => (
      <span className="inline-flex flex-wrap items-center gap-x-2 max-md:justify-end">
        <UserLink id={id}>{fullName}</UserLink>
        {banned && (
          <>
            <BannedBadge />
            <span className="md:max-xl:hidden">
              <DecisionStamp of={id} stamp={banStamp} why={banReason} />
            </span>
          </>
        )}
      </span>
    ),
  },
  email: { id: 'email', header: 'Email', sort: 'email', className: '[overflow-wrap:anywhere]', cell: ({ email }) => email },
  status: {
    id: 'status',
    header: 'Account Status',
    sort: 'status',
    cell: ({ id, tradingAccount }) => (
      <span className="inline-flex flex-wrap items-center gap-x-2 max-md:justify-end">
        <AccountStatusBadge status={tradingAccount?.status} />
        <span className="md:max-xl:hidden">
          <DecisionStamp
            of={id}
            stamp={tradingAccount?.stamps.status}
            why={tradingAccount?.stamps.status?.reason ?? `Status ${accountStatusLabel(tradingAccount?.status).label}`}
          />
        </span>
      </span>
    ),
  },
} satisfies Readonly<Record<string, Column<ListedUser>>>

const columns: readonly Column<ListedUser>[] = [
  userColumns.id,
  userColumns.name,
  userColumns.email,
  { id: 'login', header: 'Broker Login', sort: 'login', cell: ({ tradingAccount }) => <Login login={tradingAccount?.login} /> },
  userColumns.status,
  { id: 'phase', header: 'Phase', sort: 'phase', cell: ({ tradingAccount }) => tradingAccount?.phase ?? <None /> },
  {
    id: 'payouts',
    header: 'Payouts',
    sort: 'payoutEnabled',
    cell: ({ tradingAccount }) => (tradingAccount?.payoutEnabled ? <Badge tone="good">Enabled</Badge> : <Badge>Disabled</Badge>),
  },
  { id: 'actions', header: 'Actions', headerHidden: true, align: 'right', cell: (user) => <UserActions user={user} /> },
]

type UsersTableProps = Pick<DataTableProps<ListedUser>, 'rows' | 'busy' | 'error' | 'sort' | 'onSort' | 'onOpen' | 'footer'>

/** The administrators' table of users. Banned rows are highlighted. */
export function UsersTable(props: UsersTableProps) {
  return <DataTable label="Users" columns={columns} rowId={userIdOf} rowClassName={rowClassOf} empty={noUsers} expectedRows={10} {...props} />
}

/** Shown instead of rows. */
export const noUsers = <EmptyState title="No users found">Try another search, or fewer filters.</EmptyState>

export function userIdOf({ id }: ListedUser): string {
  return id
}

/** A banned row is tinted; the tag says it in words. */
export function rowClassOf({ banned }: ListedUser): string | undefined {
  return banned ? 'bg-bad-soft/50' : undefined
}

function Login({ login }: { readonly login: string | null | undefined }) {
  return login ? <span className="font-mono text-13">{login}</span> : <None />
}

/** Where nothing is set. */
function None() {
  return <span className="text-muted">None</span>
}
