import { createFileRoute } from '@tanstack/react-router'
import { systemQuery } from '@/features/operations/installation/system-queries.ts'
import { lazyPage } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/system')({
  staticData: { title: 'System' },
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(systemQuery),
  component: lazyPage(() => import('@/features/operations/installation/system-page.tsx'), 'SystemPage'),
})
