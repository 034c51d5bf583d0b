import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Outlet, useNavigate } from '@tanstack/react-router'
import { RotateCw } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { toastFailure } from '../../toast.ts'
import { IconButton } from '../../ui/button.tsx'
import { AuditEntryAddressContext } from '../../ui/text.tsx'
import { auditAddress } from '../audit/addresses.ts'
import { useLive } from '../live/use-live.ts'
import { leave, useAdminLogout } from '../session/session-queries.ts'
import { type NavigationLink, PageFrame } from '../shell/page-frame.tsx'
import { pages, useCommands } from '../shell/palette-commands.ts'
import { traders } from './palette.ts'

const UserDialog = lazy(() => import('./users/user-dialog.tsx').then((module) => ({ default: module.UserDialog })))
const route = getRouteApi('/admin')

const links: readonly NavigationLink[] = [
  { to: '/admin/dashboard', label: 'Dashboard' },
  { to: '/admin/users', label: 'Users' },
  { to: '/admin/payouts', label: 'Payouts' },
  { to: '/admin/audit', label: 'Audit', withPagesBelow: true },
  { to: '/admin/system', label: 'System' },
]
const goTo = pages('Go to', [...links, { to: '/admin', label: 'Users and payouts in tabs' }])

/** The frame of the administrators' pages. */
export function AdminLayout() {
  const logout = useAdminLogout()
  const navigate = useNavigate()
  const client = useQueryClient()
  const { user } = route.useSearch()
  useCommands(goTo)
  useCommands(traders)
  useLive('admin')
  const signOut = () =>
    logout.mutate(undefined, {
      onSuccess: () => leave(client, 'admin', () => navigate({ to: '/auth' })),
      onError: (error) => toastFailure('Logout failed', messageOf(error, 'Failed to log out')),
    })
  const refresh = (
    <IconButton label="Refresh" onClick={() => location.reload()}>
      <RotateCw size={16} aria-hidden />
    </IconButton>
  )
  return (
    <PageFrame name="Administration" home="/admin/dashboard" links={links} signingOut={logout.isPending} onSignOut={signOut} tools={refresh}>
      <AuditEntryAddressContext value={auditAddress}>
        <Outlet />
        <Suspense>{user !== undefined && <UserDialog key={user} id={user} />}</Suspense>
      </AuditEntryAddressContext>
    </PageFrame>
  )
}
