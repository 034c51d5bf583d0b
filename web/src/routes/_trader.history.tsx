import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { replaySearch } from '../features/audit/replay-search.ts'

export const Route = createFileRoute('/_trader/history')({
  staticData: { title: 'History' },
  validateSearch: replaySearch,
  loader: ({ context: { queryClient } }) =>
    import('../features/audit/audit-queries.ts').then(({ nowQuery, ownHistory }) => void queryClient.prefetchQuery(nowQuery(ownHistory))),
  component: lazyRouteComponent(() => import('../features/audit/history-page.tsx'), 'HistoryPage'),
})
