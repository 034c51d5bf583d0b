import { createFileRoute } from '@tanstack/react-router'
import { accountQuery, historyQuery, standingQuery } from '@/features/accounts/account-queries.ts'
import { whySubjects } from '@/features/accounts/why-subjects.ts'
import { lazyPage } from '@/lazy-page.ts'
import { oneOf, optional, type Search } from '@/search.ts'

export const Route = createFileRoute('/_trader/')({
  staticData: { title: 'Dashboard' },
  validateSearch: ({ tab, range, why }: Search) =>
    optional({
      tab: oneOf(tab, ['performance', 'details']),
      range: oneOf(range, ['7d', '30d', '90d']),
      /** The explanation that is open over the page. */
      why: oneOf(why, whySubjects),
    }),
  loader({ context: { queryClient } }) {
    void queryClient.prefetchQuery(accountQuery)
    void queryClient.prefetchQuery(standingQuery(undefined))
    void queryClient.prefetchQuery(historyQuery)
  },
  component: lazyPage(() => import('@/features/accounts/dashboard-page.tsx'), 'DashboardPage'),
})
