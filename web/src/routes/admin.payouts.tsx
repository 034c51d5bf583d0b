import {
  paymentStates,
  payoutAges,
  payoutMethods,
  payoutStatuses,
  payoutOrders,
  promiseKinds,
} from '#services/trading/stream/payout-vocabulary.ts'
import { DEFAULT_ORDER } from '#services/framework/api/pagination-schemas.ts'
import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'
import { oneOf, optional, type Search, textOf } from '@/search.ts'

const searchOf = ({ search, status, of, ofAccount, sort, size, cursor, ...more }: Search) =>
  optional({
    payment: oneOf(more['payment'], paymentStates),
    method: oneOf(more['method'], payoutMethods),
    /** Only payouts in this batch. */
    batch: textOf(more['batch']),
    minAmount: textOf(more['minAmount']),
    maxAmount: textOf(more['maxAmount']),
    from: textOf(more['from']),
    to: textOf(more['to']),
    olderThan: oneOf(more['olderThan'], payoutAges),
    approvals: oneOf(more['approvals'], ['first']),
    overdue: oneOf(more['overdue'], promiseKinds),
    search: textOf(search),
    status: oneOf(status, [...payoutStatuses, 'decided']),
    /** Only payouts of this user. */
    of: textOf(of),
    /** Only payouts of this account. */
    ofAccount: textOf(ofAccount),
    sort: oneOf(sort, [DEFAULT_ORDER, ...payoutOrders]),
    size: oneOf(size, ['50', '100']),
    cursor: textOf(cursor),
  })

const loadViews = () => import('@/features/identity/saved-views/saved-view-queries.ts')
const loadStatistics = () => import('@/features/oversight/statistics/statistics-queries.ts')

export const Route = createFileRoute('/admin/payouts')({
  staticData: { title: 'Admin Payouts' },
  validateSearch: searchOf,
  loader({ context: { queryClient }, location }) {
    void prefetchLazily(loadViews, ({ savedViewsQuery }) => queryClient.prefetchQuery(savedViewsQuery))
    void prefetchLazily(loadStatistics, ({ statsQuery }) => queryClient.prefetchQuery(statsQuery))
    void prefetchLazily(
      () => import('@/features/payments/payouts/staff-payout-queries.ts'),
      ({ payoutPageOf, payoutsQuery }) =>
        queryClient.prefetchQuery(payoutsQuery(payoutPageOf(searchOf(location.search)))),
    )
  },
  component: lazyPage(
    () => import('@/features/payments/payouts/staff-payouts-page.tsx'),
    'StaffPayoutsPage',
    async () => {
      const { useStats } = await loadStatistics()
      return { useStats }
    },
  ),
})
