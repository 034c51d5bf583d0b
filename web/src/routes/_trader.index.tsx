import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, optional, type Search } from '../search.ts'

export const Route = createFileRoute('/_trader/')({
  staticData: { title: 'Dashboard' },
  validateSearch: ({ tab, range }: Search) => optional({ tab: oneOf(tab, ['performance', 'details']), range: oneOf(range, ['7d', '30d', '90d']) }),
  component: lazyRouteComponent(() => import('../features/account/dashboard-page.tsx'), 'DashboardPage'),
})
