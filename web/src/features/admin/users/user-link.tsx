import type { Permission } from '../../../../../services/api/permissions.ts'
import { AddressLink } from '../../../ui/address-link.tsx'
import { useChangeAddress } from '../lists/address.ts'

/** What each form about a user needs. */
export const formPermissions = {
  edit: 'edit-users',
  platform: 'change-accounts',
  risk: 'change-accounts',
  certificate: 'issue-certificates',
  ban: 'ban-users',
  // They ask why the account gets that status.
  breached: 'change-accounts',
  'under-review': 'change-accounts',
  active: 'change-accounts',
} as const satisfies Readonly<Record<string, Permission>>

export type UserForm = keyof typeof formPermissions

/** Opens the details of a user over the present page, or one of the forms about them alone. */
export function useOpenUser() {
  const change = useChangeAddress()
  return (id: string, form?: UserForm) => void change({ user: id, form }, { state: (before) => ({ ...before, openedHere: true, alone: form !== undefined }) })
}

/** A name that opens the details over the present page; in a new tab, over the list of users. */
export function UserLink({ id, children }: { readonly id: string; readonly children: string }) {
  const open = useOpenUser()
  return (
    <AddressLink look="name" href={`/admin/users?user=${encodeURIComponent(id)}`} onFollow={() => open(id)}>
      {children}
    </AddressLink>
  )
}
