import { Outlet } from '@tanstack/react-router'
import { traderCommands } from './trader-commands.ts'
import { Bell } from '@/features/notices/bell.tsx'
import { type NavigationLink, PageFrame } from './page-frame.tsx'
import { pages } from './palette-commands.ts'

const links: readonly NavigationLink[] = [
  { to: '/', label: 'Dashboard' },
  { to: '/settings', label: 'Settings' },
  { to: '/payouts', label: 'Payouts' },
  { to: '/account-sizes', label: 'Buy an Account' },
  { to: '/certificates', label: 'Certificates' },
  { to: '/history', label: 'History' },
]
const commands = [pages('Go to', links), traderCommands]

/** The frame of the trader's pages. */
export function TraderLayout() {
  return (
    <PageFrame name="Trader" home="/" links={links} commands={commands} session="trader" tools={<Bell />}>
      <Outlet />
    </PageFrame>
  )
}
