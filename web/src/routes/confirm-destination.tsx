import { createFileRoute, redirect } from '@tanstack/react-router'
import { lazyPage } from '@/lazy-page.ts'
import { optional, type Search, textOf } from '@/search.ts'

export const Route = createFileRoute('/confirm-destination')({
  staticData: { title: 'Confirm a saved destination' },
  validateSearch: ({ token }: Search) => optional({ token: textOf(token) }),
  // Removes the token from the address before rendering, so that no screenshot, bookmark or copied link contains it.
  beforeLoad: ({ search: { token } }) => {
    if (token !== undefined)
      throw redirect({ to: '/confirm-destination', search: {}, state: { resetToken: token }, replace: true })
  },
  component: lazyPage(
    () => import('@/features/payments/payouts/confirm-destination-page.tsx'),
    'ConfirmDestinationPage',
  ),
})
