import { z } from 'zod'
import { namedObject } from './openapi-component.ts'

/** The health of a service. */

const status = z.enum(['ok', 'unavailable'])

/** GET /healthz: whether the service itself works. */
export const Health = namedObject('Health', { status })

/**
 * GET /readyz: whether its dependencies are available too. For staff, part by part; a part may report more (its lag,
 * say).
 */
export const Readiness = namedObject('Readiness', {
  status,
  parts: z.record(z.string(), z.looseObject({ ready: z.boolean() })).optional(),
  version: z.string().optional(),
  startedAt: z.iso.datetime().optional(),
})
export type Readiness = z.infer<typeof Readiness>
