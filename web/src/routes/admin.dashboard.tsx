import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'

export const Route = createFileRoute('/admin/dashboard')({
  staticData: { title: 'Admin Dashboard' },
  component: lazyRouteComponent(() => import('../features/admin/dashboard/dashboard-page.tsx'), 'AdminDashboardPage'),
})
