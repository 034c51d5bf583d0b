import { createFileRoute } from '@tanstack/react-router'
import { traderOnly } from '@/features/identity/sign-in/guards.ts'

/** Any other one-part path renders nothing when signed in (specification §2), so no sign-in leads back to it. */
export const Route = createFileRoute('/$name')({
  beforeLoad: ({ context }) => traderOnly({ context, location: { href: '/' } }),
  component: () => null,
})
