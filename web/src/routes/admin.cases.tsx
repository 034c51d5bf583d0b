import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/lazy-page.ts'
import { optional, type Search, textOf } from '@/search.ts'

export const Route = createFileRoute('/admin/cases')({
  staticData: { title: 'Cases' },
  validateSearch: ({ state, case: id }: Search) => optional({ state: textOf(state), case: textOf(id) }),
  component: lazyPage(() => import('@/features/trading/cases/staff-cases-page.tsx'), 'StaffCasesPage'),
})
