import { createFileRoute } from '@tanstack/react-router'
import { staffQuery } from '@/features/admin/staff/staff-queries.ts'
import { lazyPage } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/staff')({
  staticData: { title: 'Staff' },
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(staffQuery),
  component: lazyPage(() => import('@/features/admin/staff/staff-page.tsx'), 'StaffPage'),
})
