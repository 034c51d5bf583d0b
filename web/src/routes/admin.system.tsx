import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/system')({
  staticData: { title: 'System' },
  loader: ({ context: { queryClient } }) =>
    void prefetchLazily(
      () => import('@/features/operations/installation/system-queries.ts'),
      ({ systemQuery }) => queryClient.prefetchQuery(systemQuery),
    ),
  component: lazyPage(() => import('@/features/operations/installation/system-page.tsx'), 'SystemPage'),
})
