import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/dashboard')({
  staticData: { title: 'Admin Dashboard' },
  loader: ({ context: { queryClient } }) =>
    void prefetchLazily(
      () => import('@/features/oversight/statistics/statistics-queries.ts'),
      ({ statsQuery, weeksQuery }) => [queryClient.prefetchQuery(statsQuery), queryClient.prefetchQuery(weeksQuery)],
    ),
  component: lazyPage(() => import('@/features/oversight/statistics/staff-dashboard-page.tsx'), 'StaffDashboardPage'),
})
