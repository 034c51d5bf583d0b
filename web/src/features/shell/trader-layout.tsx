import { useQueryClient } from '@tanstack/react-query'
import { Outlet, useNavigate } from '@tanstack/react-router'
import { messageOf } from '../../api/api-error.ts'
import { toastFailure } from '../../toast.ts'
import { AuditEntryAddressContext } from '../../ui/text.tsx'
import { traderCommands } from '../account/account-commands.ts'
import { ownHistoryAddress } from '../audit/addresses.ts'
import { useLive } from '../live/use-live.ts'
import { leave, useLogout } from '../session/session-queries.ts'
import { type NavigationLink, PageFrame } from './page-frame.tsx'
import { pages, useCommands } from './palette-commands.ts'

const links: readonly NavigationLink[] = [
  { to: '/', label: 'Dashboard' },
  { to: '/settings', label: 'Settings' },
  { to: '/payouts', label: 'Payouts' },
  { to: '/account-sizes', label: 'Buy an Account' },
  { to: '/certificates', label: 'Certificates' },
  { to: '/history', label: 'History' },
]
const goTo = pages('Go to', links)

/** The frame of the trader's pages. */
export function TraderLayout() {
  const logout = useLogout()
  const navigate = useNavigate()
  const client = useQueryClient()
  useCommands(goTo)
  useCommands(traderCommands)
  useLive('trader')
  const signOut = () =>
    logout.mutate(undefined, {
      onSuccess: () => leave(client, 'trader', () => navigate({ to: '/auth' })),
      onError: (error) => toastFailure('Logout failed', messageOf(error, 'Failed to log out')),
    })
  return (
    <PageFrame name="Trader" home="/" links={links} signingOut={logout.isPending} onSignOut={signOut}>
      <AuditEntryAddressContext value={ownHistoryAddress}>
        <Outlet />
      </AuditEntryAddressContext>
    </PageFrame>
  )
}
