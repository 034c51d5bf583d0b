import { z } from 'zod'
import { component } from './openapi-component.ts'

/** What a decision on screen carries: which fact it was, when it was recorded, and who decided. */
export const Stamp = component(
  'Stamp',
  z.object({
    /** The fact's number: its place in the whole log, as the audit calls it. */
    number: z.int().positive(),
    at: z.iso.datetime(),
    by: z.enum(['trader', 'admin', 'system']),
    /** The label of the access key, or of the program's own part. Traders are not told: theirs is null. */
    name: z.string().nullable(),
  }),
)
export type Stamp = z.infer<typeof Stamp>

/** A stamp with the words of whoever decided, null where nobody gave a reason. Its trader reads them too. */
export const ReasonedStamp = component('ReasonedStamp', z.object({ ...Stamp.shape, reason: z.string().nullable() }))
export type ReasonedStamp = z.infer<typeof ReasonedStamp>
