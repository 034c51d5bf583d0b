import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/lazy-page.ts'

export const Route = createFileRoute('/forgot-password')({
  staticData: { title: 'Forgot password' },
  component: lazyPage(() => import('@/features/identity/sign-in/forgot-password-page.tsx'), 'ForgotPasswordPage'),
})
