import { z } from 'zod'
import { component } from './openapi-component.ts'

/** The health of a service. */

const status = z.enum(['ok', 'unavailable'])

/** GET /healthz: whether the service itself works. */
export const Health = component('Health', z.object({ status }))
export type Health = z.infer<typeof Health>

/** GET /readyz: whether its dependencies are available too; a part may report more (its lag, say). */
export const Readiness = component('Readiness', z.object({ status, parts: z.record(z.string(), z.looseObject({ ready: z.boolean() })) }))
export type Readiness = z.infer<typeof Readiness>
