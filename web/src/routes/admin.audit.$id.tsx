import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, optional, type Search, textOf } from '../search.ts'

export const Route = createFileRoute('/admin/audit/$id')({
  staticData: { title: 'Audit' },
  validateSearch: ({ at, compare, type, actor, from, to, view }: Search) => optional({
    /** Moments: a fact's number, or a time. */
    at: textOf(at),
    compare: textOf(compare),
    /** Which facts the timeline shows. */
    type: textOf(type),
    actor: textOf(actor),
    from: textOf(from),
    to: textOf(to),
    view: oneOf(view, ['account']),
  }),
  component: lazyRouteComponent(() => import('../features/audit/account-page.tsx'), 'AuditAccountPage'),
})
