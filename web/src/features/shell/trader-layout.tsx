import { Outlet } from '@tanstack/react-router'
import { traderCommands } from '../account/account-commands.ts'
import { Bell } from '../notices/bell.tsx'
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
  useCommands(goTo)
  useCommands(traderCommands)
  return (
    <PageFrame name="Trader" home="/" links={links} session="trader" tools={<Bell />}>
      <Outlet />
    </PageFrame>
  )
}
