import type { CommandSource } from './palette-commands.ts'
import { accountQuery } from '@/features/accounts/account-queries.ts'

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
    const login = queryClient.getQueryData(accountQuery.queryKey)?.login
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
