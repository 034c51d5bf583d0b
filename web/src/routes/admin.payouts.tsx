import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, optional, type Search, textOf } from '../search.ts'

export const Route = createFileRoute('/admin/payouts')({
  staticData: { title: 'Admin Payouts' },
  validateSearch: ({ search, status, sort, cursor }: Search) => optional({
    search: textOf(search),
    status: oneOf(status, ['pending', 'approved', 'rejected']),
    sort: oneOf(sort, ['createdAt', '-amount', 'amount']),
    cursor: textOf(cursor),
  }),
  component: lazyRouteComponent(() => import('../features/admin/payouts-page.tsx'), 'AdminPayoutsPage'),
})
