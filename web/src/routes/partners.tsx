import { createFileRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { currentUser } from '../features/session/guards.ts'

export const Route = createFileRoute('/partners')({
  staticData: { title: 'Partners' },
  beforeLoad: async ({ context }) => {
    if (!(await currentUser(context.queryClient))) throw redirect({ to: '/auth', hash: 'register', replace: true })
  },
  component: lazyRouteComponent(() => import('../features/session/partners-page.tsx'), 'PartnersPage'),
})
