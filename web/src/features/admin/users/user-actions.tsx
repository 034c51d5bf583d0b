import { lazy, useState } from 'react'
import type { ListedUser } from '../../../../../services/api/user-schemas.ts'
import { Menu } from '../../../ui/menu.tsx'

const load = () => import('./user-menu.tsx')
const UserMenu = lazy(() => load().then((module) => ({ default: module.UserMenu })))

/** What can be done with a user, in the menu of the row. While the server works on it the button shows that. */
export function UserActions({ user }: { readonly user: ListedUser }) {
  const [busy, setBusy] = useState(false)
  const show = (change: Promise<unknown>) => {
    setBusy(true)
    // The change's own toast reports a failure.
    void change.catch(() => undefined).finally(() => setBusy(false))
  }
  return (
    <Menu label={`Actions for ${user.fullName}`} busy={busy} onReach={load}>
      <UserMenu user={user} onChange={show} />
    </Menu>
  )
}
