import { createFileRoute } from '@tanstack/react-router'
import { traderOnly } from '@/features/sign-in/guards.ts'

/** Any other one-part path renders nothing when signed in (specification §2). */
export const Route = createFileRoute('/$name')({ beforeLoad: traderOnly, component: () => null })
