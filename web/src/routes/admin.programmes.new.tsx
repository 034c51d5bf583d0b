import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/programmes/new')({
  staticData: { title: 'New Programme' },
  component: lazyPage(() => import('@/features/programmes/programmes/editor-pages.tsx'), 'NewProgrammePage'),
})
