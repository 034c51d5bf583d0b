import { Outlet } from '@tanstack/react-router'
import { AccountInAddress } from '@/account-in-address.ts'
import { AccountSwitcher } from '@/features/trading/accounts/account-switcher.tsx'
import { useChosenAccount } from '@/features/trading/accounts/chosen-account.ts'
import { Bell } from '@/features/oversight/notices/bell.tsx'
import { type NavigationLink, PageFrame } from '@/features/frame/page-frame.tsx'
import { pages } from '@/features/frame/palette-commands.ts'
import { traderAccounts, traderCommands } from './trader-commands.ts'
import { ButtonLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { ErrorState } from '@/ui/states.tsx'

const links: readonly NavigationLink[] = [
  { to: '/', label: 'Dashboard' },
  { to: '/settings', label: 'Settings' },
  { to: '/payouts', label: 'Payouts' },
  { to: '/account-sizes', label: 'Buy an Account' },
  { to: '/certificates', label: 'Certificates' },
  { to: '/history', label: 'History' },
  { to: '/cases', label: 'Cases' },
]
const commands = [pages('Go to', links), traderAccounts, traderCommands]

/** The frame of the trader's pages. */
export function TraderLayout() {
  const { named, accounts } = useChosenAccount()
  const isUnknown = named !== undefined && accounts !== undefined && !accounts.some(({ id }) => id === named)
  return (
    <AccountInAddress value={named}>
      <PageFrame
        name="Trader"
        home="/"
        links={links}
        commands={commands}
        session="trader"
        tools={<Bell />}
        bar={<AccountSwitcher />}
      >
        {isUnknown ? <UnknownAccount /> : <Outlet />}
      </PageFrame>
    </AccountInAddress>
  )
}

/** Instead of a page whose address names an account that the trader does not have. */
function UnknownAccount() {
  return (
    <>
      <PageHeader title="Account not found" />
      <ErrorState
        title="You have no such account"
        action={
          <ButtonLink to="." search={(before: object) => ({ ...before, account: undefined })}>
            Show the current account
          </ButtonLink>
        }
      >
        The address of this page names an account that is not yours, or that does not exist.
      </ErrorState>
    </>
  )
}
