import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/payouts_/batches/answers')({
  staticData: { title: 'What Became of the Answers' },
  component: lazyPage(() => import('@/features/payments/batches/answers-page.tsx'), 'AnswersPage'),
})
