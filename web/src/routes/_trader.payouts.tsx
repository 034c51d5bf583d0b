import { createFileRoute } from '@tanstack/react-router'
import { accountQuery } from '@/features/trading/accounts/account-queries.ts'
import { payoutsQuery, payoutSummaryQuery } from '@/features/payments/payouts/payout-queries.ts'
import { lazyPage } from '@/lazy-page.ts'
import { accountOf, scopeOf } from '@/search.ts'

export const Route = createFileRoute('/_trader/payouts')({
  staticData: { title: 'Payouts' },
  validateSearch: scopeOf,
  loader({ context: { queryClient }, location }) {
    const { account } = accountOf(location.search)
    void queryClient.prefetchQuery(accountQuery(account))
    void queryClient.prefetchQuery(payoutSummaryQuery(account))
    void queryClient.prefetchQuery(payoutsQuery)
  },
  component: lazyPage(() => import('@/features/payments/payouts/payouts-page.tsx'), 'PayoutsPage'),
})
