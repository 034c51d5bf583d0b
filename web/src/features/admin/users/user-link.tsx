import { useLocation } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { useChangeAddress } from '../lists/address.ts'

/** 'breached', 'under-review' and 'active' ask why the account gets that status. */
export type UserForm = 'edit' | 'platform' | 'risk' | 'certificate' | 'ban' | 'breached' | 'under-review' | 'active'

/** Opens the details of a user over the present page, or one of the forms about them alone. */
export function useOpenUser() {
  const change = useChangeAddress()
  return (id: string, form?: UserForm) =>
    void change({ user: id, form }, { state: (before) => ({ ...before, openedHere: true, alone: form !== undefined }) })
}

interface UserLinkProps {
  readonly id: string
  readonly children: string
}

/**
 * A name that opens the details: a real link, for a tab of its own or to be sent to a colleague. Not the router's, which
 * works its address out by way of all routes: a hundred of them would take longer than everything else in the table.
 */
export function UserLink({ id, children }: UserLinkProps) {
  const open = useOpenUser()
  const href = useLocation({ select: ({ pathname, searchStr }) => addressOf(pathname, searchStr, id) })
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    open(id)
  }
  return (
    <a href={href} onClick={follow} className="rounded-sm font-medium [overflow-wrap:anywhere] underline-offset-4 hover:underline">
      {children}
    </a>
  )
}

function addressOf(path: string, search: string, id: string): string {
  const parameters = new URLSearchParams(search)
  parameters.delete('form')
  parameters.set('user', id)
  return `${path}?${parameters.toString()}`
}
