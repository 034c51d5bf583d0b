import { Ellipsis } from 'lucide-react'
import type { AccountStatus } from '../../../../../services/contract/account.ts'
import type { ListedUser } from '../../../../../services/contract/users.ts'
import { IconButton } from '../../../ui/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx'
import { AUDITOR_REASON, useIsAuditor } from '../access.tsx'
import { accountWords, useBan, useChangeAccount } from './queries.ts'
import { useOpenUser } from './user-link.tsx'

const statusActions: readonly { readonly status: Exclude<AccountStatus, 'pending'>; readonly label: string }[] = [
  { status: 'active', label: 'Set Active' },
  { status: 'under-review', label: 'Set Under Review' },
  { status: 'breached', label: 'Set Breached' },
]

/** A breach or a review has a reason, and a breach that ends may have been a mistake. */
function asksWhy(from: AccountStatus, to: AccountStatus): boolean {
  return to === 'breached' || to === 'under-review' || from === 'breached'
}

/** What can be done with a user, in the menu of the row. While the server works on it the button shows that. */
export function UserActions({ user }: { readonly user: ListedUser }) {
  const { id, fullName, banned, tradingAccount } = user
  const status = tradingAccount?.status ?? 'pending'
  const payoutEnabled = tradingAccount?.payoutEnabled ?? false
  const changeStatus = useChangeAccount(accountWords.status)
  const changePayouts = useChangeAccount(accountWords.payouts)
  const ban = useBan()
  const open = useOpenUser()
  const isAuditor = useIsAuditor()
  const busy = changeStatus.isPending || changePayouts.isPending || ban.isPending
  return (
    <Menu
      trigger={
        <IconButton className="size-8!" label={`Actions for ${fullName}`} busy={busy}>
          {!busy && <Ellipsis size={16} aria-hidden />}
        </IconButton>
      }
    >
      {isAuditor && (
        <MenuItem disabled onSelect={() => {}}>
          {AUDITOR_REASON}
        </MenuItem>
      )}
      {!isAuditor && (
        <>
          {statusActions.map(({ status: to, label }) => (
            <MenuItem
              key={to}
              disabled={status === to}
              onSelect={() => (asksWhy(status, to) ? open(id, to) : changeStatus.mutate({ id, changes: { status: to } }))}
            >
              {label}
            </MenuItem>
          ))}
          <MenuItem onSelect={() => changePayouts.mutate({ id, changes: { payoutEnabled: !payoutEnabled } })}>
            {payoutEnabled ? 'Disable Payouts' : 'Enable Payouts'}
          </MenuItem>
          <MenuSeparator />
        </>
      )}
      <MenuItem onSelect={() => open(id)}>View Full Details</MenuItem>
      {!isAuditor && (
        <>
          <MenuItem onSelect={() => open(id, 'edit')}>Edit User Details</MenuItem>
          <MenuSeparator />
          {banned ? (
            <MenuItem onSelect={() => ban.mutate({ id, banned: false, banReason: null })}>Unban User</MenuItem>
          ) : (
            <MenuItem dangerous onSelect={() => open(id, 'ban')}>
              Ban User
            </MenuItem>
          )}
        </>
      )}
    </Menu>
  )
}
