import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'

/** The administrators' pages, with their navigation. Not guarded here: the server refuses, and that leads to /auth. */
export const Route = createFileRoute('/admin')({
  component: lazyRouteComponent(() => import('../features/admin/admin-layout.tsx'), 'AdminLayout'),
})
