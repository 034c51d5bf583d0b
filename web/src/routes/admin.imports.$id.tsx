import { createFileRoute } from '@tanstack/react-router'
import { rowOutcomes } from '#services/trading/stream/observation-vocabulary.ts'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'
import { oneOf, optional } from '@/search.ts'

export const Route = createFileRoute('/admin/imports/$id')({
  staticData: { title: 'Import' },
  validateSearch: ({ outcome }) => optional({ /** All without it. */ outcome: oneOf(outcome, rowOutcomes) }),
  loader: ({ context: { queryClient }, params: { id } }) =>
    void prefetchLazily(
      () => import('@/features/trading/imports/import-queries.ts'),
      ({ importQuery }) => queryClient.prefetchQuery(importQuery(id)),
    ),
  component: lazyPage(() => import('@/features/trading/imports/import-page.tsx'), 'ImportPage'),
})
