import { accountStatuses } from '#services/modules/accounts/account-vocabulary.ts'
import { userOrders } from '#services/modules/users/user-vocabulary.ts'
import { createFileRoute } from '@tanstack/react-router'
import { statsQuery } from '@/features/statistics/statistics-queries.ts'
import { userPageOf, usersQuery } from '@/features/users/user-queries.ts'
import { lazyPage } from '@/lazy-page.ts'
import { oneOf, optional, type Search, textOf } from '@/search.ts'

const searchOf = ({ search, status, phase, payouts, sort, size, cursor }: Search) =>
  optional({
    search: textOf(search),
    status: oneOf(status, [...accountStatuses, 'banned']),
    phase: textOf(phase),
    payouts: oneOf(payouts, ['true', 'false']),
    sort: oneOf(sort, userOrders),
    size: oneOf(size, ['50', '100']),
    cursor: textOf(cursor),
  })

export const Route = createFileRoute('/admin/users')({
  staticData: { title: 'Admin Users' },
  validateSearch: searchOf,
  loader({ context: { queryClient }, location }) {
    void queryClient.prefetchQuery(statsQuery)
    void queryClient.prefetchQuery(usersQuery(userPageOf(searchOf(location.search))))
  },
  component: lazyPage(() => import('@/features/users/users-page.tsx'), 'UsersPage'),
})
