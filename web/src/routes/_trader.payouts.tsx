import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'
import { accountOf, optional, scopeOf, type Search, textOf } from '@/search.ts'

export const Route = createFileRoute('/_trader/payouts')({
  staticData: { title: 'Payouts' },
  validateSearch: (search: Search) => ({ ...scopeOf(search), ...optional({ payout: textOf(search.payout) }) }),
  loader({ context: { queryClient }, location }) {
    const { account } = accountOf(location.search)
    void prefetchLazily(
      () => import('@/features/trading/accounts/account-queries.ts'),
      ({ accountQuery }) => queryClient.prefetchQuery(accountQuery(account)),
    )
    void prefetchLazily(
      () => import('@/features/payments/payouts/payout-queries.ts'),
      ({ payoutsQuery, payoutSummaryQuery }) => [
        queryClient.prefetchQuery(payoutSummaryQuery(account)),
        queryClient.prefetchQuery(payoutsQuery),
      ],
    )
  },
  component: lazyPage(() => import('@/features/payments/payouts/payouts-page.tsx'), 'PayoutsPage'),
})
