import { createFileRoute } from '@tanstack/react-router'
import { findingKinds, listedFindings } from '#services/trading/stream/finding-vocabulary.ts'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'
import { oneOf, optional, type Search, textOf } from '@/search.ts'

const searchOf = ({ status, kind, cursor }: Search) =>
  optional({
    status: oneOf(status, [...listedFindings, 'all']),
    kind: oneOf(kind, findingKinds),
    cursor: textOf(cursor),
  })

export const Route = createFileRoute('/admin/findings')({
  staticData: { title: 'Findings' },
  validateSearch: searchOf,
  loader: ({ context: { queryClient }, location }) =>
    void prefetchLazily(
      () => import('@/features/trading/findings/finding-queries.ts'),
      ({ findingPageOf, findingsQuery }) =>
        queryClient.prefetchQuery(findingsQuery(findingPageOf(searchOf(location.search)))),
    ),
  component: lazyPage(() => import('@/features/trading/findings/findings-page.tsx'), 'FindingsPage'),
})
