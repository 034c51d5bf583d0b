import { createFileRoute } from '@tanstack/react-router'
import { staffQuery } from '@/features/identity/staff/staff-queries.ts'
import { lazyPage } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/staff')({
  staticData: { title: 'Staff' },
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(staffQuery),
  component: lazyPage(() => import('@/features/identity/staff/staff-page.tsx'), 'StaffPage'),
})
