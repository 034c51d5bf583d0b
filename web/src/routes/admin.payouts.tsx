import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { payoutOrders, payoutStatuses } from '../../../services/api/vocabulary.ts'
import { oneOf, optional, type Search, textOf } from '../search.ts'

export const Route = createFileRoute('/admin/payouts')({
  staticData: { title: 'Admin Payouts' },
  validateSearch: ({ search, status, of, sort, size, cursor }: Search) =>
    optional({
      search: textOf(search),
      status: oneOf(status, [...payoutStatuses, 'decided']),
      /** Only those of this user. */
      of: textOf(of),
      sort: oneOf(sort, payoutOrders),
      size: oneOf(size, ['50', '100']),
      cursor: textOf(cursor),
    }),
  component: lazyRouteComponent(() => import('../features/admin/payouts/payouts-page.tsx'), 'AdminPayoutsPage'),
})
