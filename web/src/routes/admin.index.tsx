import { createFileRoute } from '@tanstack/react-router'
import { adminOnly } from '@/features/identity/sign-in/guards.ts'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'
import { oneOf, optional, type Search, textOf } from '@/search.ts'

const searchOf = ({ tab, search, cursor, pending, history }: Search) =>
  optional({
    tab: oneOf(tab, ['payouts']),
    search: textOf(search),
    /** Cursors of the three lists: users, pending payouts, decided payouts. */
    cursor: textOf(cursor),
    pending: textOf(pending),
    history: textOf(history),
  })

export const Route = createFileRoute('/admin/')({
  staticData: { title: 'Administration' },
  beforeLoad: adminOnly,
  validateSearch: searchOf,
  loader({ context: { queryClient }, location }) {
    const { tab, search, cursor, pending, history } = searchOf(location.search)
    if (tab === 'payouts') {
      void prefetchLazily(
        () => import('@/features/payments/payouts/staff-payout-queries.ts'),
        ({ decidedPayoutsQuery, pendingPayoutsQuery }) => [
          queryClient.prefetchQuery(pendingPayoutsQuery(search, pending)),
          queryClient.prefetchQuery(decidedPayoutsQuery(search, history)),
        ],
      )
    } else {
      void prefetchLazily(
        () => import('@/features/trading/traders/user-queries.ts'),
        ({ tabUsersQuery }) => queryClient.prefetchQuery(tabUsersQuery(search, cursor)),
      )
    }
  },
  component: lazyPage(() => import('@/features/menu/tabs-page.tsx'), 'TabsPage'),
})
