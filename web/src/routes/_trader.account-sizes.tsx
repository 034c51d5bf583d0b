import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../lazy-page.ts'
import { oneOf, optional, type Search } from '../search.ts'

export const Route = createFileRoute('/_trader/account-sizes')({
  staticData: { title: 'Buy an Account' },
  validateSearch: ({ phase }: Search) => optional({ phase: oneOf(phase, ['2']) }),
  loader: ({ context: { queryClient } }) =>
    import('../features/offers/offer-queries.ts').then(({ offersQuery }) => void queryClient.prefetchQuery(offersQuery)),
  component: lazyPage(() => import('../features/offers/offers-page.tsx'), 'OffersPage'),
})
