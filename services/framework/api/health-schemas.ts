import { z } from 'zod'
import { namedObject } from './openapi-component.ts'

/** The health of a service. */

/** A degraded service works, with something wrong that nobody waits for: with the proof of the log, or with mails. */
export const healthStates = ['ok', 'degraded', 'unavailable'] as const
const status = z.enum(healthStates)

/** GET /healthz: whether the service itself works. */
export const Health = namedObject('Health', { status: z.literal('ok') })

/**
 * GET /readyz: whether its dependencies are available too. For staff, part by part; a part may report more (its lag, say).
 */
export const Readiness = namedObject('Readiness', {
  status,
  parts: z.record(z.string(), z.looseObject({ ready: z.boolean() })).optional(),
  version: z.string().optional(),
  startedAt: z.iso.datetime().optional(),
})
export type Readiness = z.infer<typeof Readiness>

/** The status code of an answer of /readyz: a degraded service stays in use. */
export function statusCodeOf({ status }: Readiness): 200 | 503 {
  return status === 'unavailable' ? 503 : 200
}
