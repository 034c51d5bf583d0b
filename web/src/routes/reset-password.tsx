import { createFileRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { optional, type Search, textOf } from '../search.ts'

export const Route = createFileRoute('/reset-password')({
  staticData: { title: 'Reset password' },
  validateSearch: ({ token }: Search) => optional({ token: textOf(token) }),
  // Out of the address bar before anything is shown, so that the token is in no picture, bookmark or copied link.
  beforeLoad: ({ search: { token } }) => {
    if (token !== undefined) throw redirect({ to: '/reset-password', search: {}, state: { resetToken: token }, replace: true })
  },
  component: lazyRouteComponent(() => import('../features/session/reset-password-page.tsx'), 'ResetPasswordPage'),
})
