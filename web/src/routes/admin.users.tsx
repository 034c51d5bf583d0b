import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, optional, type Search, textOf } from '../search.ts'

export const Route = createFileRoute('/admin/users')({
  staticData: { title: 'Admin Users' },
  validateSearch: ({ search, status, phase, payouts, sort, size, cursor }: Search) =>
    optional({
      search: textOf(search),
      status: oneOf(status, ['active', 'pending', 'under-review', 'breached', 'banned']),
      phase: textOf(phase),
      payouts: oneOf(payouts, ['true', 'false']),
      sort: oneOf(sort, [
        'createdAt',
        'fullName',
        '-fullName',
        'email',
        '-email',
        'login',
        '-login',
        'status',
        '-status',
        'phase',
        '-phase',
        'payoutEnabled',
        '-payoutEnabled',
        'balance',
        '-balance',
        'profitLoss',
        '-profitLoss',
      ]),
      size: oneOf(size, ['50', '100']),
      cursor: textOf(cursor),
    }),
  component: lazyRouteComponent(() => import('../features/admin/users/users-page.tsx'), 'AdminUsersPage'),
})
