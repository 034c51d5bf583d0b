import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/imports/')({
  staticData: { title: 'Imports' },
  loader: ({ context: { queryClient } }) =>
    void prefetchLazily(
      () => import('@/features/trading/imports/import-queries.ts'),
      ({ importsQuery }) => queryClient.prefetchQuery(importsQuery),
    ),
  component: lazyPage(() => import('@/features/trading/imports/imports-page.tsx'), 'ImportsPage'),
})
