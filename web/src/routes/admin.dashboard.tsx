import { createFileRoute } from '@tanstack/react-router'
import { weeksQuery, statsQuery } from '@/features/oversight/statistics/statistics-queries.ts'
import { lazyPage } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/dashboard')({
  staticData: { title: 'Admin Dashboard' },
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(statsQuery)
    void queryClient.prefetchQuery(weeksQuery)
  },
  component: lazyPage(() => import('@/features/oversight/statistics/staff-dashboard-page.tsx'), 'StaffDashboardPage'),
})
