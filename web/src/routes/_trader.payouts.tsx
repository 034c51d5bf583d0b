import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'

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
  component: lazyRouteComponent(() => import('../features/payouts/payouts-page.tsx'), 'PayoutsPage'),
})
