import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'

export const Route = createFileRoute('/forgot-password')({
  staticData: { title: 'Forgot password' },
  component: lazyRouteComponent(() => import('../features/session/forgot-password-page.tsx'), 'ForgotPasswordPage'),
})
