import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { optional, type Search, textOf } from '../search.ts'

export const Route = createFileRoute('/admin/audit/facts')({
  staticData: { title: 'Everything that was done' },
  validateSearch: ({ actor, type, from, to }: Search) => optional({ actor: textOf(actor), type: textOf(type), from: textOf(from), to: textOf(to) }),
  component: lazyRouteComponent(() => import('../features/audit/activity-page.tsx'), 'ActivityPage'),
})
