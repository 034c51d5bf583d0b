import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'

export const Route = createFileRoute('/admin/dashboard')({
  staticData: { title: 'Admin Dashboard' },
  loader: ({ context: { queryClient } }) =>
    import('../features/admin/dashboard/statistics-queries.ts').then(({ statsQuery }) => void queryClient.prefetchQuery(statsQuery)),
  component: lazyRouteComponent(() => import('../features/admin/dashboard/dashboard-page.tsx'), 'AdminDashboardPage'),
})
