import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { optional, type Search, textOf } from '../search.ts'

export const Route = createFileRoute('/admin/audit/')({
  staticData: { title: 'Audit' },
  validateSearch: ({ search, cursor }: Search) => optional({ search: textOf(search), cursor: textOf(cursor) }),
  component: lazyRouteComponent(() => import('../features/audit/accounts-page.tsx'), 'AuditAccountsPage'),
})
