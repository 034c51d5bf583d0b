import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/security')({
  staticData: { title: 'Security' },
  component: lazyPage(() => import('@/features/identity/staff/security-page.tsx'), 'SecurityPage'),
})
