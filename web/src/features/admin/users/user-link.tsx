import { Link } from '@tanstack/react-router'
import { useChangeAddress } from '../lists/address.ts'

export type UserForm = 'edit' | 'platform' | 'risk' | 'certificate' | 'ban'

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

/** A name that opens the details: a real link, for a tab of its own or to be sent to a colleague. */
export function UserLink({ id, children }: UserLinkProps) {
  return (
    <Link
      to="."
      search={(before: object) => ({ ...before, user: id, form: undefined })}
      state={(before) => ({ ...before, openedHere: true, alone: false })}
      resetScroll={false}
      className="rounded-sm font-medium [overflow-wrap:anywhere] underline-offset-4 hover:underline"
    >
      {children}
    </Link>
  )
}
