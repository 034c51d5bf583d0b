import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { replaySearch } from '../features/audit/replay-search.ts'

export const Route = createFileRoute('/_trader/history')({
  staticData: { title: 'History' },
  validateSearch: replaySearch,
  component: lazyRouteComponent(() => import('../features/audit/history-page.tsx'), 'HistoryPage'),
})
