import { createFileRoute } from '@tanstack/react-router'
import { refuseStrangers, traderOnly } from '@/features/sign-in/guards.ts'
import { lazyPage } from '@/lazy-page.ts'

/**
 * The trader's pages, with their navigation. The guard runs beside the loaders of the pages, so that no request waits
 * for another.
 */
export const Route = createFileRoute('/_trader')({
  beforeLoad: refuseStrangers,
  loader: traderOnly,
  component: lazyPage(() => import('@/features/shell/trader-layout.tsx'), 'TraderLayout'),
})
