import { createFileRoute } from '@tanstack/react-router'
import { importOutcomes } from '#services/trading/imports/import-outcome-vocabulary.ts'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'
import { oneOf, optional } from '@/search.ts'

export const Route = createFileRoute('/admin/imports/$id')({
  staticData: { title: 'Import' },
  validateSearch: ({ outcome }) => optional({ /** All without it. */ outcome: oneOf(outcome, importOutcomes) }),
  loader: ({ context: { queryClient }, params: { id } }) =>
    void prefetchLazily(
      () => import('@/features/trading/imports/import-queries.ts'),
      ({ importQuery }) => queryClient.prefetchQuery(importQuery(id)),
    ),
  component: lazyPage(() => import('@/features/trading/imports/import-page.tsx'), 'ImportPage'),
})
