import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListedUser } from '#services/trading/traders/trader-api.ts'
import type { AccountStatus } from '#services/trading/accounts/account-api.ts'
import { accountField } from '#services/trading/accounts/account-fields.ts'
import { accountStatusLabels } from '#services/trading/stream/account-vocabulary.ts'
import { NOT_ALLOWED, useMay } from '@/features/frame/access.tsx'
import { UserLink, useOpenUser } from '@/features/frame/user-link.tsx'
import { accountChanges, taskChanges } from '@/features/trading/accounts/staff-account-queries.ts'
import { counted } from '@/format/counts.ts'
import { formatMoney } from '@/format/money.ts'
import { accountStatusLabel } from '@/format/status.ts'
import { AccountStatusBadge, Badge, BannedBadge } from '@/ui/badge.tsx'
import { actionsColumn, type Column } from '@/ui/data-table.tsx'
import { Menu, MenuItem, MenuSeparator } from '@/ui/menu.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { CopyableId, EmailText, Stamped } from '@/ui/text.tsx'
import { banUser } from './user-queries.ts'

const none = <span className="text-muted">None</span>

/** The columns that the tables of users have in common. */
export const userColumns = {
  id: { header: 'ID', hiddenWhenNarrow: true, cell: ({ id, fullName }) => <CopyableId id={id} of={fullName} /> },
  name: {
    header: 'Name',
    sort: 'fullName',
    inCard: { at: 'start', line: 1 },
    cell: ({ id, fullName, banned, banStamp, banReason }) => (
      <span className="inline-flex flex-wrap items-center gap-x-2">
        <UserLink id={id}>{fullName}</UserLink>
        {banned && (
          <Stamped inTable of={id} stamp={banStamp} why={banReason}>
            <BannedBadge />
          </Stamped>
        )}
      </span>
    ),
  },
  email: {
    header: 'Email',
    sort: 'email',
    inCard: { at: 'start', line: 2 },
    cell: ({ email, emailConfirmed }) => (
      <>
        <EmailText email={email} />
        {!emailConfirmed && <span className="block text-12 text-muted">Not confirmed</span>}
      </>
    ),
  },
  status: {
    header: 'Account Status',
    sort: 'status',
    inCard: { at: 'start', line: 3 },
    cell: ({ id, tradingAccount, accountCount }) => (
      <Stamped
        inTable
        of={id}
        stamp={tradingAccount?.stamps.status}
        why={`Status ${accountStatusLabel(tradingAccount?.status).label}`}
      >
        <span className="inline-flex items-center gap-1">
          <AccountStatusBadge status={tradingAccount?.status} />
          <FurtherAccounts count={accountCount - 1} />
        </span>
      </Stamped>
    ),
  },
} satisfies Readonly<Record<string, Column<ListedUser>>>

/** Beside the current account: how many others the trader has. */
function FurtherAccounts({ count }: { readonly count: number }) {
  if (count < 1) return null
  const words = counted(count, 'more account')
  return (
    <span className="text-13 text-muted" title={words}>
      <span aria-hidden>+{count}</span>
      <span className="sr-only">{words}</span>
    </span>
  )
}

/** The columns of /admin/users. */
export const userPageColumns: readonly Column<ListedUser>[] = [
  ...[userColumns.id, userColumns.name, userColumns.email],
  {
    header: 'Broker Login',
    sort: 'login',
    hiddenWhenNarrow: true,
    cell: ({ tradingAccount }) =>
      tradingAccount?.login ? <span className="font-mono text-13">{tradingAccount.login}</span> : none,
  },
  userColumns.status,
  {
    header: 'Phase',
    sort: 'phase',
    inCard: { at: 'end', line: 2 },
    cell: ({ tradingAccount }) => tradingAccount?.phase ?? none,
  },
  {
    header: 'Payouts',
    sort: 'payoutEnabled',
    inCard: { at: 'end', line: 3 },
    cell: ({ tradingAccount }) => (
      <span className="inline-flex items-center gap-2">
        <span className="text-13 text-muted md:hidden">Payouts</span>
        {tradingAccount?.payoutEnabled ? <Badge tone="good">Enabled</Badge> : <Badge>Disabled</Badge>}
      </span>
    ),
  },
  { ...actionsColumn, inCard: { at: 'end', line: 1 }, cell: (user) => <UserMenu user={user} /> },
]

const byOrder: Readonly<Record<string, readonly Column<ListedUser>[]>> = Object.fromEntries(
  (['balance', 'profitLoss'] as const).flatMap((field) => {
    const figure: Column<ListedUser> = {
      header: accountField(field).label,
      sort: field,
      align: 'right',
      inCard: { at: 'end', line: 2 },
      cell: ({ tradingAccount }) => (tradingAccount ? formatMoney(tradingAccount[field]) : none),
    }
    const columns = [...userPageColumns.slice(0, -1), figure, ...userPageColumns.slice(-1)]
    return [
      [field, columns],
      [`-${field}`, columns],
    ]
  }),
)

/** The columns with what the list is ordered by: an order by a figure that nobody sees is a riddle. */
export function columnsFor(sort: string | undefined): readonly Column<ListedUser>[] {
  return byOrder[sort ?? ''] ?? userPageColumns
}

/** The parts that all tables of users share. A banned row is tinted; the tag says it in words. */
export const userRows = {
  rowId: ({ id }: ListedUser) => id,
  rowClassName: ({ banned }: ListedUser) => (banned ? 'bg-bad-soft/50' : undefined),
  empty: <EmptyState title="No users found">Try another search, or fewer filters.</EmptyState>,
}

const settable = ['active', 'under-review', 'breached'] as const

/** A breach or a review has a reason, and a breach that ends may have been a mistake. */
function asksWhy(from: AccountStatus, to: AccountStatus): boolean {
  return to === 'breached' || to === 'under-review' || from === 'breached'
}

/** The row menu of a user. Its button is busy while the server works on a change. */
function UserMenu({ user }: { readonly user: ListedUser }) {
  const [busy, setBusy] = useState(false)
  const show = (change: Promise<unknown>) => {
    setBusy(true)
    // The change's own toast reports a failure.
    void change.catch(() => undefined).finally(() => setBusy(false))
  }
  return (
    <Menu label={`Actions for ${user.fullName}`} busy={busy}>
      <UserMenuItems user={user} onChange={show} />
    </Menu>
  )
}

interface UserMenuItemsProps {
  readonly user: ListedUser
  /** A change is on its way to the server. */
  readonly onChange: (change: Promise<unknown>) => void
}

function UserMenuItems({ user, onChange }: UserMenuItemsProps) {
  const { id, fullName, banned, tradingAccount, accountCount } = user
  // As the row shows it: another one may become the current account meanwhile.
  const account = accountCount > 1 ? tradingAccount?.id : undefined
  const status = tradingAccount?.status ?? 'pending'
  const payoutEnabled = tradingAccount?.payoutEnabled ?? false
  const changeStatus = useMutation(accountChanges.status)
  const changePayouts = useMutation(accountChanges.payouts)
  const enablePayouts = useMutation(taskChanges.payouts)
  const ban = useMutation(banUser)
  const open = useOpenUser()
  const mayChange = useMay('change-accounts')
  const mayDoTasks = useMay('do-tasks')
  const mayEdit = useMay('edit-users')
  const mayBan = useMay('ban-users')
  const mayDelete = useMay('delete-users')
  return (
    <>
      {!mayChange && !mayEdit && !mayBan && (
        <MenuItem disabled onSelect={() => {}}>
          {NOT_ALLOWED}
        </MenuItem>
      )}
      {mayChange &&
        settable.map((to) => (
          <MenuItem
            key={to}
            disabled={status === to}
            onSelect={() =>
              asksWhy(status, to)
                ? open(id, to)
                : onChange(changeStatus.mutateAsync({ id, fullName, account, changes: { status: to } }))
            }
          >
            Set {accountStatusLabels[to]}
          </MenuItem>
        ))}
      {mayChange && (
        <>
          <MenuItem
            onSelect={() =>
              onChange(changePayouts.mutateAsync({ id, fullName, account, changes: { payoutEnabled: !payoutEnabled } }))
            }
          >
            {payoutEnabled ? 'Disable Payouts' : 'Enable Payouts'}
          </MenuItem>
          <MenuSeparator />
        </>
      )}
      {!mayChange && mayDoTasks && tradingAccount && !payoutEnabled && (
        <>
          <MenuItem
            onSelect={() =>
              onChange(
                enablePayouts.mutateAsync({
                  ...{ id, fullName, account: tradingAccount.id },
                  changes: { payoutEnabled: true },
                }),
              )
            }
          >
            Enable Payouts
          </MenuItem>
          <MenuSeparator />
        </>
      )}
      <MenuItem onSelect={() => open(id)}>View Full Details</MenuItem>
      {mayEdit && <MenuItem onSelect={() => open(id, 'edit')}>Edit User Details</MenuItem>}
      {mayBan && <MenuSeparator />}
      {mayBan &&
        (banned ? (
          <MenuItem onSelect={() => onChange(ban.mutateAsync({ id, fullName, banned: false, banReason: null }))}>
            Unban User
          </MenuItem>
        ) : (
          <MenuItem dangerous onSelect={() => open(id, 'ban')}>
            Ban User
          </MenuItem>
        ))}
      {mayDelete && (
        <MenuItem dangerous onSelect={() => open(id, 'delete')}>
          Delete User
        </MenuItem>
      )}
    </>
  )
}
