import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'

export const Route = createFileRoute('/admin/system')({
  staticData: { title: 'System' },
  component: lazyRouteComponent(() => import('../features/admin/system/system-page.tsx'), 'SystemPage'),
})
