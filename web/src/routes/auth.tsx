import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { strangersOnly } from '../features/session/guards.ts'

export const Route = createFileRoute('/auth')({
  staticData: { title: 'Sign in' },
  beforeLoad: strangersOnly,
  component: lazyRouteComponent(() => import('../features/session/auth-page.tsx'), 'AuthPage'),
})
