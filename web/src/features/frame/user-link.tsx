import { useNavigate } from '@tanstack/react-router'
import type { Permission } from '#services/identity/staff/permissions.ts'
import { addressWith } from '@/api/api.ts'
import { ownerOf } from '@/format/account-name.ts'
import { AddressLink } from '@/ui/address-link.tsx'

/** Each form about a user needs this permission. */
export const formPermissions = {
  edit: 'edit-users',
  platform: 'do-tasks',
  risk: 'change-accounts',
  'open-account': 'change-accounts',
  'close-account': 'change-accounts',
  'book-entry': 'change-accounts',
  terms: 'change-accounts',
  enrol: 'enrol-traders',
  certificate: 'issue-certificates',
  ban: 'ban-users',
  delete: 'delete-users',
  // They ask why the account gets that status.
  breached: 'change-accounts',
  'under-review': 'change-accounts',
  active: 'change-accounts',
} as const satisfies Readonly<Record<string, Permission>>

export type UserForm = keyof typeof formPermissions

/** Where the details of a user, or of one account, are open over the present page, or one of the forms about them alone. */
export function userAddress(id: string, form?: UserForm, account?: string) {
  return {
    to: '.',
    search: (before: object) => ({ ...before, user: id, account, form }),
    state: (before: object) => ({ ...before, openedHere: true, alone: form !== undefined }),
    resetScroll: false,
  } as const
}

/** Opens the details of a user, or a form about them. */
export function useOpenUser() {
  const navigate = useNavigate()
  return (id: string, form?: UserForm) => void navigate(userAddress(id, form))
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

/** An account's id that opens the details of its owner with that account, over the present page. */
export function AccountLink({ id }: { readonly id: string }) {
  const navigate = useNavigate()
  const owner = ownerOf(id)
  return (
    <AddressLink
      look="name"
      className="font-mono text-12"
      href={addressWith('/admin/users', { user: owner, account: id })}
      onFollow={() => void navigate(userAddress(owner, undefined, id))}
    >
      {id}
    </AddressLink>
  )
}
