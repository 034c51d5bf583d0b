import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'

export const Route = createFileRoute('/_trader/payouts')({
  staticData: { title: 'Payouts' },
  component: lazyRouteComponent(() => import('../features/payouts/payouts-page.tsx'), 'PayoutsPage'),
})
