import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { adminOnly } from '../features/session/guards.ts'
import { oneOf, optional, type Search, textOf } from '../search.ts'

export const Route = createFileRoute('/admin/')({
  staticData: { title: 'Administration' },
  beforeLoad: adminOnly,
  validateSearch: ({ tab, search, cursor, pending, history }: Search) =>
    optional({
      tab: oneOf(tab, ['payouts']),
      search: textOf(search),
      /** Pages of the users, of the pending payouts, of those that are decided. */
      cursor: textOf(cursor),
      pending: textOf(pending),
      history: textOf(history),
    }),
  component: lazyRouteComponent(() => import('../features/admin/tabs/tabs-page.tsx'), 'AdminTabsPage'),
})
