import type { ListedUser } from '#services/trading/traders/trader-api.ts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { AccountStatus } from '#services/trading/accounts/account-api.ts'
import { accountStatusLabels } from '#services/trading/stream/account-vocabulary.ts'
import { Menu, MenuItem, MenuSeparator } from '@/ui/menu.tsx'
import { NOT_ALLOWED, useMay } from '@/features/frame/access.tsx'
import { accountChanges } from '@/features/trading/accounts/staff-account-queries.ts'
import { banUser } from './user-queries.ts'
import { useOpenUser } from '@/features/frame/user-link.tsx'

const settable = ['active', 'under-review', 'breached'] as const

/** A breach or a review has a reason, and a breach that ends may have been a mistake. */
function asksWhy(from: AccountStatus, to: AccountStatus): boolean {
  return to === 'breached' || to === 'under-review' || from === 'breached'
}

/** The row menu of a user. Its button is busy while the server works on a change. */
export function UserMenu({ user }: { readonly user: ListedUser }) {
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
  const ban = useMutation(banUser)
  const open = useOpenUser()
  const mayChange = useMay('change-accounts')
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
