import type { MouseEvent } from 'react'
import { useChangeAddress } from '../lists/address.ts'

/** 'breached', 'under-review' and 'active' ask why the account gets that status. */
export type UserForm = 'edit' | 'platform' | 'risk' | 'certificate' | 'ban' | 'breached' | 'under-review' | 'active'

/** Opens the details of a user over the present page, or one of the forms about them alone. */
export function useOpenUser() {
  const change = useChangeAddress()
  return (id: string, form?: UserForm) => void change({ user: id, form }, { state: (before) => ({ ...before, openedHere: true, alone: form !== undefined }) })
}

interface UserLinkProps {
  readonly id: string
  readonly children: string
}

/**
 * A name that opens the details: a real link, which can be opened in a new tab or sent. It is not the router's link, which
 * resolves every address against all routes: too slow for a hundred rows at each letter of a search.
 */
export function UserLink({ id, children }: UserLinkProps) {
  const open = useOpenUser()
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    open(id)
  }
  return (
    <a
      href={`/admin/users?user=${encodeURIComponent(id)}`}
      onClick={follow}
      className="rounded-sm font-medium [overflow-wrap:anywhere] underline-offset-4 hover:underline"
    >
      {children}
    </a>
  )
}
