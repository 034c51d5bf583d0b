import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, optional, type Search } from '../search.ts'

export const Route = createFileRoute('/_trader/account-sizes')({
  staticData: { title: 'Buy an Account' },
  validateSearch: ({ phase }: Search) => optional({ phase: oneOf(phase, ['2']) }),
  loader: ({ context: { queryClient } }) =>
    import('../features/offers/offer-queries.ts').then(({ offersQuery }) => void queryClient.prefetchQuery(offersQuery)),
  component: lazyRouteComponent(() => import('../features/offers/offers-page.tsx'), 'OffersPage'),
})
