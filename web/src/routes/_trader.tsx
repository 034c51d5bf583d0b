import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { traderOnly } from '../features/session/guards.ts'

/** The trader's pages, with their navigation. */
export const Route = createFileRoute('/_trader')({
  beforeLoad: traderOnly,
  component: lazyRouteComponent(() => import('../features/shell/trader-layout.tsx'), 'TraderLayout'),
})
