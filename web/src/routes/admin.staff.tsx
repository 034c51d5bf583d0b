import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'

export const Route = createFileRoute('/admin/staff')({
  staticData: { title: 'Staff' },
  loader: ({ context: { queryClient } }) =>
    import('../features/admin/staff/staff-queries.ts').then(({ staffQuery }) => void queryClient.prefetchQuery(staffQuery)),
  component: lazyRouteComponent(() => import('../features/admin/staff/staff-page.tsx'), 'StaffPage'),
})
