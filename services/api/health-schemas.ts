import { z } from 'zod'
import { component } from './openapi-component.ts'

/** How a service says that it works. */

const status = z.enum(['ok', 'unavailable'])

/** GET /healthz: whether the service itself can work. */
export const Health = component('Health', z.object({ status }))
export type Health = z.infer<typeof Health>

/** GET /readyz: whether everything it leans on is there too; a part may tell more of itself (its lag, say). */
export const Readiness = component('Readiness', z.object({ status, parts: z.record(z.string(), z.looseObject({ ready: z.boolean() })) }))
export type Readiness = z.infer<typeof Readiness>
