import { createFileRoute, redirect } from '@tanstack/react-router'
import { currentUser } from '@/features/identity/sign-in/guards.ts'
import { DeadEnd } from '@/features/menu/edge-pages.tsx'

/** The partners' entrance is for new users only (specification §2). */
export const Route = createFileRoute('/partners')({
  staticData: { title: 'Partners' },
  beforeLoad: async ({ context }) => {
    if (!(await currentUser(context.queryClient))) throw redirect({ to: '/auth', hash: 'register', replace: true })
  },
  component: () => <DeadEnd title="Not possible">It's not possible since you are already signed up.</DeadEnd>,
})
