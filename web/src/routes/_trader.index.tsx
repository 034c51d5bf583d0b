import { createFileRoute } from '@tanstack/react-router'
import { accountQuery, historyQuery, standingQuery } from '@/features/trading/accounts/account-queries.ts'
import { whySubjects } from '@/features/trading/accounts/why-subjects.ts'
import { lazyPage, lazyPart } from '@/lazy-page.ts'
import { accountOf, oneOf, optional, type Search, textOf } from '@/search.ts'

const WhyDialog = lazyPart(() => import('@/features/oversight/audit/why-dialog.tsx').then(({ WhyDialog }) => WhyDialog))

export const Route = createFileRoute('/_trader/')({
  staticData: { title: 'Dashboard' },
  validateSearch: ({ tab, range, why, cursor }: Search) =>
    optional({
      tab: oneOf(tab, ['performance', 'details']),
      range: oneOf(range, ['7d', '30d', '90d']),
      /** The explanation that is open over the page. */
      why: oneOf(why, whySubjects),
      /** The page of trades. */
      cursor: textOf(cursor),
    }),
  loader({ context: { queryClient }, location }) {
    const { account } = accountOf(location.search)
    void queryClient.prefetchQuery(accountQuery(account))
    void queryClient.prefetchQuery(standingQuery(account))
    void queryClient.prefetchQuery(historyQuery(account))
  },
  component: lazyPage(() => import('@/features/trading/accounts/dashboard-page.tsx'), 'DashboardPage', { WhyDialog }),
})
