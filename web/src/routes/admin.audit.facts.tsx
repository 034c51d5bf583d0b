import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/lazy-page.ts'
import { optional, type Search, textOf } from '@/search.ts'

export const Route = createFileRoute('/admin/audit/facts')({
  staticData: { title: 'Activity' },
  validateSearch: ({ actor, type, from, to }: Search) =>
    optional({ actor: textOf(actor), type: textOf(type), from: textOf(from), to: textOf(to) }),
  component: lazyPage(() => import('@/features/oversight/audit/activity-page.tsx'), 'ActivityPage'),
})
