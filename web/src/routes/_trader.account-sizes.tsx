import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, optional, type Search } from '../search.ts'

export const Route = createFileRoute('/_trader/account-sizes')({
  staticData: { title: 'Buy an Account' },
  validateSearch: ({ phase }: Search) => optional({ phase: oneOf(phase, ['2']) }),
  component: lazyRouteComponent(() => import('../features/offers/offers-page.tsx'), 'OffersPage'),
})
