import { createFileRoute } from '@tanstack/react-router'
import { traderOnly } from '../features/session/guards.ts'

/** Any other path of one part: signed in, nothing (specification §2). */
export const Route = createFileRoute('/$name')({ beforeLoad: traderOnly, component: () => null })
