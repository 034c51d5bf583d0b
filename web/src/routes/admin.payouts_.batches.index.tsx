import { createFileRoute } from '@tanstack/react-router'
import { batchStates } from '#services/payments/batches/batch-vocabulary.ts'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'
import { oneOf, optional, type Search, textOf } from '@/search.ts'

const searchOf = ({ status, size, cursor }: Search) =>
  optional({ status: oneOf(status, batchStates), size: oneOf(size, ['50', '100']), cursor: textOf(cursor) })

export const Route = createFileRoute('/admin/payouts_/batches/')({
  staticData: { title: 'Batches' },
  validateSearch: searchOf,
  loader: ({ context: { queryClient }, location }) =>
    void prefetchLazily(
      () => import('@/features/payments/batches/batch-queries.ts'),
      ({ batchesQuery, batchPageOf }) =>
        queryClient.prefetchQuery(batchesQuery(batchPageOf(searchOf(location.search)))),
    ),
  component: lazyPage(() => import('@/features/payments/batches/batches-page.tsx'), 'BatchesPage'),
})
