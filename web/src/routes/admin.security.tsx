import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'

export const Route = createFileRoute('/admin/security')({
  staticData: { title: 'Security' },
  component: lazyRouteComponent(() => import('../features/admin/security/security-page.tsx'), 'SecurityPage'),
})
