import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/payouts_/batches/')({
  staticData: { title: 'Batches' },
  loader: ({ context: { queryClient } }) =>
    prefetchLazily(
      () => import('@/features/batches/batch-queries.ts'),
      ({ batchesQuery }) => queryClient.prefetchQuery(batchesQuery),
    ),
  component: lazyPage(() => import('@/features/batches/batches-page.tsx'), 'BatchesPage'),
})
