import { createFileRoute } from '@tanstack/react-router'
import { lazyPage, prefetchLazily } from '@/lazy-page.ts'
import { oneOf, optional, type Search } from '@/search.ts'

export const Route = createFileRoute('/_trader/account-sizes')({
  staticData: { title: 'Buy an Account' },
  validateSearch: ({ phase }: Search) => optional({ phase: oneOf(phase, ['2', 'other']) }),
  loader: ({ context: { queryClient } }) =>
    void prefetchLazily(
      () => import('@/features/programmes/offers/offer-queries.ts'),
      ({ offersQuery }) => queryClient.prefetchQuery(offersQuery),
    ),
  component: lazyPage(() => import('@/features/programmes/offers/offers-page.tsx'), 'OffersPage'),
})
