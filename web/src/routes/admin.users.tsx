import { userOrders } from '#services/trading/traders/trader-api.ts'
import { accountStatuses } from '#services/trading/stream/account-vocabulary.ts'
import { createFileRoute } from '@tanstack/react-router'
import { statsQuery, useStats } from '@/features/oversight/statistics/statistics-queries.ts'
import { userPageOf, usersQuery } from '@/features/trading/traders/user-queries.ts'
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
  component: lazyPage(() => import('@/features/trading/traders/users-page.tsx'), 'UsersPage', { useStats }),
})
