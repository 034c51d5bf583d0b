import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/lazy-page.ts'
import { optional, type Search, textOf } from '@/search.ts'

export const Route = createFileRoute('/_trader/cases')({
  staticData: { title: 'Cases' },
  validateSearch: ({ case: id, payout }: Search) => optional({ case: textOf(id), payout: textOf(payout) }),
  component: lazyPage(() => import('@/features/trading/cases/cases-page.tsx'), 'CasesPage'),
})
