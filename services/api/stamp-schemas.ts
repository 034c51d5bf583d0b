import { z } from 'zod'
import { component } from './openapi-component.ts'

/** What a decision on screen carries: its event, when it was recorded, and who decided. */
export const Stamp = component(
  'Stamp',
  z.object({
    /** The event's position in the log, which the audit calls its number. */
    number: z.int().positive(),
    at: z.iso.datetime(),
    by: z.enum(['trader', 'admin', 'system']),
    /** The label of the access key, or of the program's own part; null for traders. */
    name: z.string().nullable(),
  }),
)
export type Stamp = z.infer<typeof Stamp>

/** A stamp with the reason, null where none was given. The trader reads it too. */
export const ReasonedStamp = component('ReasonedStamp', z.object({ ...Stamp.shape, reason: z.string().nullable() }))
export type ReasonedStamp = z.infer<typeof ReasonedStamp>
