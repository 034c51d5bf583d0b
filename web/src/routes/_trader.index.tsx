import { createFileRoute } from '@tanstack/react-router'
import { whySubjects } from '@/features/trading/accounts/why-subjects.ts'
import { lazyPage, lazyPart, prefetchLazily } from '@/lazy-page.ts'
import { accountOf, oneOf, optional, type Search, textOf } from '@/search.ts'

const WhyDialog = lazyPart(() => import('@/features/oversight/audit/why-dialog.tsx').then(({ WhyDialog }) => WhyDialog))

export const Route = createFileRoute('/_trader/')({
  staticData: { title: 'Dashboard' },
  validateSearch: ({ tab, range, why, cursor, only }: Search) =>
    optional({
      tab: oneOf(tab, ['performance', 'details']),
      range: oneOf(range, ['7d', '30d', '90d']),
      /** The explanation that is open over the page. */
      why: oneOf(why, whySubjects),
      /** The page of trades. */
      cursor: textOf(cursor),
      /** Without it all trades. */
      only: oneOf(only, ['marked']),
    }),
  loader({ context: { queryClient }, location }) {
    const { account } = accountOf(location.search)
    void prefetchLazily(
      () => import('@/features/trading/accounts/account-queries.ts'),
      (queries) => [
        queryClient.prefetchQuery(queries.accountQuery(account)),
        queryClient.prefetchQuery(queries.standingQuery(account)),
        queryClient.prefetchQuery(queries.historyQuery(account)),
      ],
    )
  },
  component: lazyPage(() => import('@/features/trading/accounts/dashboard-page.tsx'), 'DashboardPage', { WhyDialog }),
})
