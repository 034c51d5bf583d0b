import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/payouts_/batches/$id')({
  staticData: { title: 'Batch' },
  loader: ({ context: { queryClient }, params: { id } }) =>
    void prefetchLazily(
      () => import('@/features/payments/batches/batch-queries.ts'),
      ({ batchQuery }) => queryClient.prefetchQuery(batchQuery(id)),
    ),
  component: lazyPage(() => import('@/features/payments/batches/batch-page.tsx'), 'BatchPage'),
})
