import { createFileRoute } from '@tanstack/react-router'
import { replaySearch } from '@/features/audit/replay-search.ts'
import { nowQuery, ownHistory } from '@/features/audit/audit-queries.ts'
import { lazyPage } from '@/lazy-page.ts'

export const Route = createFileRoute('/_trader/history')({
  staticData: { title: 'History' },
  validateSearch: replaySearch,
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(nowQuery(ownHistory)),
  component: lazyPage(() => import('@/features/audit/history-page.tsx'), 'HistoryPage'),
})
