import { createFileRoute } from '@tanstack/react-router'
import { replaySearch } from '@/features/oversight/audit/replay-search.ts'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'
import { accountOf, scopeOf, type Search } from '@/search.ts'

export const Route = createFileRoute('/_trader/history')({
  staticData: { title: 'History' },
  validateSearch: (search: Search) => ({ ...replaySearch(search), ...scopeOf(search) }),
  loader: ({ context: { queryClient }, location }) =>
    void prefetchLazily(
      () => import('@/features/oversight/audit/audit-queries.ts'),
      ({ nowQuery, ownHistory }) => queryClient.prefetchQuery(nowQuery(ownHistory(accountOf(location.search).account))),
    ),
  component: lazyPage(() => import('@/features/oversight/audit/history-page.tsx'), 'HistoryPage'),
})
