import type { ListedUser } from '#services/trading/traders/trader-api.ts'
import { MutationObserver } from '@tanstack/react-query'
import type { Permission } from '#services/identity/staff/permissions.ts'
import { savedViewsQuery } from '@/features/identity/saved-views/saved-view-queries.ts'
import { parseSearch } from '@/search.ts'
import { accountStatusLabel } from '@/format/status.ts'
import { staffAuthQuery } from '@/features/frame/session-queries.ts'
import type { Command, CommandSource, PaletteContext } from '@/features/frame/palette-commands.ts'
import { userAddress } from '@/features/frame/user-link.tsx'
import { accountChanges } from '@/features/trading/accounts/staff-account-queries.ts'
import { banUser, usersQuery } from '@/features/trading/traders/user-queries.ts'

/** How many results are offered; more text narrows them down. */
const MOST_FOUND = 6

/** Finds traders by name, email or broker login, and offers what can be done with the one that is chosen. */
export const traders: CommandSource = {
  title: 'Traders',
  async find(typed, context) {
    const search = typed.trim()
    if (search === '') return []
    const query = usersQuery({ search, limit: MOST_FOUND })
    const stop = () => void context.queryClient.cancelQueries({ queryKey: query.queryKey, exact: true })
    context.signal.addEventListener('abort', stop, { once: true })
    const { items } = await context.queryClient.fetchQuery(query)
    return items.map((user) => ({
      id: user.id,
      label: user.fullName,
      hint: hintOf(user),
      actions: actionsFor(user, context),
    }))
  },
}

const viewedLists = {
  payouts: { to: '/admin/payouts', hint: 'Payouts' },
  users: { to: '/admin/users', hint: 'Users' },
} as const

/** Opens the member's saved views of lists. */
export const views: CommandSource = {
  title: 'Saved views',
  async find(typed, { router, queryClient }) {
    const words = typed.trim().toLowerCase()
    const saved = await queryClient.fetchQuery(savedViewsQuery)
    return saved
      .filter(({ name }) => name.toLowerCase().includes(words))
      .map(({ id, list, name, query }) => {
        const { to, hint } = viewedLists[list]
        return { id, label: name, hint, run: () => void router.navigate({ to, search: parseSearch(query) }) }
      })
  },
}

function hintOf({ email, banned, tradingAccount }: ListedUser): string {
  const status = banned ? 'Banned' : accountStatusLabel(tradingAccount?.status).label
  return [email, tradingAccount?.login, status].filter(Boolean).join(' · ')
}

/** Returns the commands that the role allows. */
function actionsFor(
  { id, fullName, banned, tradingAccount, accountCount }: ListedUser,
  { router, queryClient }: PaletteContext,
): readonly Command[] {
  const auth = queryClient.getQueryData(staffAuthQuery.queryKey)
  const account = accountCount > 1 ? tradingAccount?.id : undefined
  const payoutEnabled = tradingAccount?.payoutEnabled ?? false
  const open = (form?: 'edit' | 'ban') => void router.navigate(userAddress(id, form))
  const bans = new MutationObserver(queryClient, banUser)
  const payouts = new MutationObserver(queryClient, accountChanges.payouts)
  // The mutation shows its own toast on failure.
  const quietly = (change: Promise<unknown>) => void change.catch(() => undefined)
  const actions: readonly (Command & { readonly needs?: Permission })[] = [
    { id: 'details', label: 'Open details', run: () => open() },
    {
      id: 'audit',
      label: 'Open the audit',
      run: () => void router.navigate({ to: '/admin/audit/$id', params: { id } }),
    },
    {
      id: 'payouts',
      label: 'Go to payouts',
      run: () => void router.navigate({ to: '/admin/payouts', search: { of: id } }),
    },
    { id: 'edit', label: 'Edit user details', needs: 'edit-users', run: () => open('edit') },
    {
      id: 'eligibility',
      label: payoutEnabled ? 'Disable payouts' : 'Enable payouts',
      needs: 'change-accounts',
      run: () => quietly(payouts.mutate({ id, fullName, account, changes: { payoutEnabled: !payoutEnabled } })),
    },
    banned
      ? {
          id: 'ban',
          label: 'Unban user',
          needs: 'ban-users',
          run: () => quietly(bans.mutate({ id, fullName, banned: false, banReason: null })),
        }
      : { id: 'ban', label: 'Ban user', needs: 'ban-users', run: () => open('ban') },
  ]
  return actions.filter(
    ({ needs }) => needs === undefined || (auth?.isAdmin === true && auth.permissions.includes(needs)),
  )
}
