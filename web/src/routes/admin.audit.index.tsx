import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'
import { optional, type Search, textOf } from '@/search.ts'

const searchOf = ({ search, cursor }: Search) => optional({ search: textOf(search), cursor: textOf(cursor) })

export const Route = createFileRoute('/admin/audit/')({
  staticData: { title: 'Audit' },
  validateSearch: searchOf,
  loader({ context: { queryClient }, location }) {
    const { search, cursor } = searchOf(location.search)
    void prefetchLazily(
      () => import('@/features/oversight/audit/audit-queries.ts'),
      ({ accountsPageQuery }) => queryClient.prefetchQuery(accountsPageQuery(search, cursor)),
    )
  },
  component: lazyPage(() => import('@/features/oversight/audit/accounts-page.tsx'), 'AuditAccountsPage'),
})
