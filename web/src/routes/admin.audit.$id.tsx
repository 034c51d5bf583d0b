import { createFileRoute } from '@tanstack/react-router'
import { replaySearch } from '@/features/oversight/audit/replay-search.ts'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/audit/$id')({
  staticData: { title: 'Audit' },
  validateSearch: replaySearch,
  loader: ({ context: { queryClient }, params: { id } }) =>
    void prefetchLazily(
      () => import('@/features/oversight/audit/audit-queries.ts'),
      ({ historyOf, nowQuery }) => queryClient.prefetchQuery(nowQuery(historyOf(id))),
    ),
  component: lazyPage(() => import('@/features/oversight/audit/account-page.tsx'), 'AuditAccountPage'),
})
