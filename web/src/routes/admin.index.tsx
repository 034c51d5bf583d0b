import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { adminOnly } from '../features/session/guards.ts'
import { oneOf, optional, type Search, textOf } from '../search.ts'

export const Route = createFileRoute('/admin/')({
  staticData: { title: 'Administration' },
  beforeLoad: adminOnly,
  validateSearch: ({ tab, search, cursor }: Search) => optional({ tab: oneOf(tab, ['payouts']), search: textOf(search), cursor: textOf(cursor) }),
  component: lazyRouteComponent(() => import('../features/admin/tabs-page.tsx'), 'AdminTabsPage'),
})
