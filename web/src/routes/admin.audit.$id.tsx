import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import { replaySearch } from '../features/audit/replay-search.ts'

export const Route = createFileRoute('/admin/audit/$id')({
  staticData: { title: 'Audit' },
  validateSearch: replaySearch,
  component: lazyRouteComponent(() => import('../features/audit/account-page.tsx'), 'AuditAccountPage'),
})
