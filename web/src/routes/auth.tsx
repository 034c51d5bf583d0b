import { createFileRoute } from '@tanstack/react-router'
import { signedOutOnly } from '@/features/identity/sign-in/guards.ts'
import { lazyPage } from '@/lazy-page.ts'

export const Route = createFileRoute('/auth')({
  staticData: { title: 'Sign in' },
  beforeLoad: signedOutOnly,
  component: lazyPage(() => import('@/features/identity/sign-in/auth-page.tsx'), 'AuthPage'),
})
