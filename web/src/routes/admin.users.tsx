import { accountStatuses, userOrders } from '#services/trading/stream/account-vocabulary.ts'
import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'
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

const loadViews = () => import('@/features/identity/saved-views/saved-view-queries.ts')
const loadStatistics = () => import('@/features/oversight/statistics/statistics-queries.ts')

export const Route = createFileRoute('/admin/users')({
  staticData: { title: 'Admin Users' },
  validateSearch: searchOf,
  loader({ context: { queryClient }, location }) {
    void prefetchLazily(loadViews, ({ savedViewsQuery }) => queryClient.prefetchQuery(savedViewsQuery))
    void prefetchLazily(loadStatistics, ({ statsQuery }) => queryClient.prefetchQuery(statsQuery))
    void prefetchLazily(
      () => import('@/features/trading/traders/user-queries.ts'),
      ({ userPageOf, usersQuery }) => queryClient.prefetchQuery(usersQuery(userPageOf(searchOf(location.search)))),
    )
  },
  component: lazyPage(
    () => import('@/features/trading/traders/users-page.tsx'),
    'UsersPage',
    async () => {
      const { useStats } = await loadStatistics()
      return { useStats }
    },
  ),
})
