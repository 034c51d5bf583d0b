import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { adminRoleQuery } from '../features/session/session-queries.ts'
import { oneOf, optional, type Search, textOf } from '../search.ts'

/** The administrators' pages, with their navigation. Not guarded here: the server refuses, and that leads to /auth. */
export const Route = createFileRoute('/admin')({
  validateSearch: ({ user, form }: Search) =>
    optional({
      /** Whose details are open, over any of the pages. */
      user: textOf(user),
      /** Which form about that user. */
      form: oneOf(form, ['edit', 'platform', 'risk', 'certificate', 'ban', 'breached', 'under-review', 'active']),
    }),
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(adminRoleQuery),
  component: lazyRouteComponent(() => import('../features/admin/admin-layout.tsx'), 'AdminLayout'),
})
