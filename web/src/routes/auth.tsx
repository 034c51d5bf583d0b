import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedOutOnly } from '../features/session/guards.ts'

export const Route = createFileRoute('/auth')({
  staticData: { title: 'Sign in' },
  beforeLoad: signedOutOnly,
  component: lazyRouteComponent(() => import('../features/session/auth-page.tsx'), 'AuthPage'),
})
