import { createFileRoute } from '@tanstack/react-router'
import { accountQuery } from '@/features/accounts/account-queries.ts'
import { payoutsQuery } from '@/features/payouts/payout-queries.ts'
import { lazyPage } from '@/lazy-page.ts'

export const Route = createFileRoute('/_trader/payouts')({
  staticData: { title: 'Payouts' },
  loader({ context: { queryClient } }) {
    void queryClient.prefetchQuery(accountQuery)
    void queryClient.prefetchQuery(payoutsQuery)
  },
  component: lazyPage(() => import('@/features/payouts/payouts-page.tsx'), 'PayoutsPage'),
})
