import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, optional, type Search, textOf } from '../search.ts'

export const Route = createFileRoute('/admin/users')({
  staticData: { title: 'Admin Users' },
  validateSearch: ({ search, status, sort, cursor, user }: Search) => optional({
    search: textOf(search),
    status: oneOf(status, ['active', 'pending', 'under-review', 'breached', 'banned']),
    sort: oneOf(sort, ['createdAt', 'fullName', '-fullName', 'email', '-email', 'balance', '-balance', 'profitLoss', '-profitLoss']),
    cursor: textOf(cursor),
    /** Whose details are open. */
    user: textOf(user),
  }),
  component: lazyRouteComponent(() => import('../features/admin/users-page.tsx'), 'AdminUsersPage'),
})
