import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '@/lazy-page.ts'

export const Route = createFileRoute('/admin/calendar')({
  staticData: { title: 'Calendar of news' },
  component: lazyPage(() => import('@/features/trading/calendar/calendar-page.tsx'), 'CalendarPage'),
})
