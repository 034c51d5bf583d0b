import type { CommandSource } from '@/features/frame/palette-commands.ts'
import { accountQuery, ownAccountsQuery } from '@/features/trading/accounts/account-queries.ts'
import { accountName } from '@/format/account-name.ts'
import { accountStatusLabel } from '@/format/status.ts'
import { accountOf } from '@/search.ts'

interface TraderShortcut {
  readonly label: string
  /** More words that find it. */
  readonly words: string
  readonly to: string
  readonly search?: Readonly<Record<string, string>>
}

const shortcuts: readonly TraderShortcut[] = [
  { label: 'See how much room is left', words: 'overview drawdown loss limit meter', to: '/' },
  { label: 'See performance', words: 'balance chart profit risk rules', to: '/', search: { tab: 'performance' } },
  {
    label: 'See account details',
    words: 'login server master password status mt4 mt5',
    to: '/',
    search: { tab: 'details' },
  },
  {
    label: 'See the account history',
    words: 'history timeline entries proof audit why breached export data',
    to: '/history',
  },
  { label: 'Request a payout', words: 'withdraw money', to: '/payouts' },
  { label: 'Change password', words: 'security', to: '/settings' },
  { label: 'Change email or address', words: 'profile personal information', to: '/settings' },
  { label: 'Buy a one-step challenge', words: 'account size phase 1', to: '/account-sizes' },
  { label: 'Buy a two-step challenge', words: 'account size phase 2', to: '/account-sizes', search: { phase: '2' } },
]

/** Shortcuts for traders, found by the words they use. */
export const traderCommands: CommandSource = {
  title: 'Do',
  find: (typed, { router, queryClient }) => {
    const wanted = typed.trim().toLowerCase()
    const found = shortcuts
      .filter(({ label, words }) => wanted !== '' && `${label} ${words}`.toLowerCase().includes(wanted))
      .map(({ label, to, search = {} }) => ({ id: label, label, run: () => void router.navigate({ to, search }) }))
    const { account } = accountOf(router.state.location.search)
    const login = queryClient.getQueryData(accountQuery(account).queryKey)?.login
    if (!login || wanted === '' || !'copy login id mt4 mt5'.includes(wanted)) return found
    // Without the browser's permission nothing is copied; the hint shows the login.
    return [
      ...found,
      {
        id: 'Copy login ID',
        label: 'Copy login ID',
        hint: login,
        run: () => void navigator.clipboard.writeText(login).catch(() => {}),
      },
    ]
  },
}

/** The accounts of a trader who has several, found by number, phase, status or login. */
export const traderAccounts: CommandSource = {
  title: 'Show account',
  find: (typed, { router, queryClient }) => {
    const wanted = typed.trim().toLowerCase()
    const accounts = queryClient.getQueryData(ownAccountsQuery.queryKey) ?? []
    if (accounts.length < 2) return []
    return accounts
      .map((account) => ({
        id: account.id,
        label: accountName(account),
        hint: account.open ? accountStatusLabel(account.status).label : 'Closed',
        run: () => void router.navigate({ to: '/', search: { account: account.id } }),
      }))
      .filter(({ label, hint }) => `${label} ${hint}`.toLowerCase().includes(wanted))
  },
}
