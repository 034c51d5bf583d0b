import { createFileRoute, retainSearchParams } from '@tanstack/react-router'
import { refuseStrangers, traderOnly } from '@/features/identity/sign-in/guards.ts'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'
import { accountOf } from '@/search.ts'

/**
 * The trader's pages, with their navigation. The guard runs beside the loaders of the pages, so that no request waits
 * for another. Nothing is shown before the accounts are known: a switcher that came later would move the page.
 */
export const Route = createFileRoute('/_trader')({
  validateSearch: accountOf,
  // Every link between the trader's pages keeps the chosen account.
  search: { middlewares: [retainSearchParams(['account'])] },
  beforeLoad: refuseStrangers,
  async loader({ context, location }) {
    const accounts = prefetchLazily(
      () => import('@/features/trading/accounts/account-queries.ts'),
      ({ ownAccountsQuery }) => context.queryClient.prefetchQuery(ownAccountsQuery),
    )
    await traderOnly({ context, location })
    await accounts
  },
  component: lazyPage(() => import('@/features/menu/trader-layout.tsx'), 'TraderLayout'),
})
