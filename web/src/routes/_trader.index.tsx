import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, optional, type Search } from '../search.ts'

export const Route = createFileRoute('/_trader/')({
  staticData: { title: 'Dashboard' },
  validateSearch: ({ tab }: Search) => optional({ tab: oneOf(tab, ['performance', 'details']) }),
  component: lazyRouteComponent(() => import('../features/account/dashboard-page.tsx'), 'DashboardPage'),
})
