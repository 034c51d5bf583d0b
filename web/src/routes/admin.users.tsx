import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountStatuses, userOrders } from '../../../services/api/vocabulary.ts'
import { oneOf, optional, type Search, textOf } from '../search.ts'

export const Route = createFileRoute('/admin/users')({
  staticData: { title: 'Admin Users' },
  validateSearch: ({ search, status, phase, payouts, sort, size, cursor }: Search) =>
    optional({
      search: textOf(search),
      status: oneOf(status, [...accountStatuses, 'banned']),
      phase: textOf(phase),
      payouts: oneOf(payouts, ['true', 'false']),
      sort: oneOf(sort, userOrders),
      size: oneOf(size, ['50', '100']),
      cursor: textOf(cursor),
    }),
  component: lazyRouteComponent(() => import('../features/admin/users/users-page.tsx'), 'AdminUsersPage'),
})
