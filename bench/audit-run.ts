import { z } from 'zod'

/** What passes between the audit bench and its child. */
export const auditInput = z.object({ events: z.int(), rounds: z.int() })

/** Ms of each side, one a round. */
export const auditOutcome = z.object({ took: z.record(z.string(), z.array(z.number()).readonly()), bytes: z.int() })
