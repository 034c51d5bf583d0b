import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../lazy-page.ts'

export const Route = createFileRoute('/admin/dashboard')({
  staticData: { title: 'Admin Dashboard' },
  loader: ({ context: { queryClient } }) =>
    import('../features/admin/dashboard/statistics-queries.ts').then(({ daysQuery, statsQuery }) => {
      void queryClient.prefetchQuery(statsQuery)
      void queryClient.prefetchQuery(daysQuery)
    }),
  component: lazyPage(() => import('../features/admin/dashboard/dashboard-page.tsx'), 'AdminDashboardPage'),
})
