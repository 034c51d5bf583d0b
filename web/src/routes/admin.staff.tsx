import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/staff')({
  staticData: { title: 'Staff' },
  loader: ({ context: { queryClient } }) =>
    void prefetchLazily(
      () => import('@/features/identity/staff/staff-queries.ts'),
      ({ staffQuery }) => queryClient.prefetchQuery(staffQuery),
    ),
  component: lazyPage(() => import('@/features/identity/staff/staff-page.tsx'), 'StaffPage'),
})
