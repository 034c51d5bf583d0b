import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../lazy-page.ts'

export const Route = createFileRoute('/_trader/payouts')({
  staticData: { title: 'Payouts' },
  async loader({ context: { queryClient } }) {
    const [{ accountQuery }, { payoutsQuery }] = await Promise.all([
      import('../features/account/account-queries.ts'),
      import('../features/payouts/payout-queries.ts'),
    ])
    void queryClient.prefetchQuery(accountQuery)
    void queryClient.prefetchQuery(payoutsQuery)
  },
  component: lazyPage(() => import('../features/payouts/payouts-page.tsx'), 'PayoutsPage'),
})
