import { createFileRoute } from '@tanstack/react-router'
import { replaySearch } from '@/features/audit/replay-search.ts'
import { historyOf, nowQuery } from '@/features/audit/audit-queries.ts'
import { lazyPage } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/audit/$id')({
  staticData: { title: 'Audit' },
  validateSearch: replaySearch,
  loader: ({ context: { queryClient }, params: { id } }) => void queryClient.prefetchQuery(nowQuery(historyOf(id))),
  component: lazyPage(() => import('@/features/audit/account-page.tsx'), 'AuditAccountPage'),
})
