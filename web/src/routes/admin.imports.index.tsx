import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/imports/')({
  staticData: { title: 'Imports' },
  loader: ({ context: { queryClient } }) =>
    prefetchLazily(
      () => import('@/features/imports/import-queries.ts'),
      ({ importsQuery }) => queryClient.prefetchQuery(importsQuery),
    ),
  component: lazyPage(() => import('@/features/imports/imports-page.tsx'), 'ImportsPage'),
})
