import { z } from 'zod'
import { actorKinds } from './actor.ts'
import { namedObject } from './openapi-component.ts'

/** The stamp of a decision on screen: its event, its time, and who decided. */
export const Stamp = namedObject('Stamp', {
  /** The event's position in the log, which the audit calls its number. */
  number: z.int().positive(),
  at: z.iso.datetime(),
  by: z.enum(actorKinds),
  /** The label of the access key or of the part of the program; null for traders. */
  name: z.string().nullable(),
})
export type Stamp = z.infer<typeof Stamp>

/** A stamp with its reason, null if none was recorded. The trader reads it too. */
export const ReasonedStamp = namedObject('ReasonedStamp', { ...Stamp.shape, reason: z.string().nullable() })
export type ReasonedStamp = z.infer<typeof ReasonedStamp>

const scalar = z.union([z.null(), z.boolean(), z.number(), z.string()])

/** The value of a field. An item of a list, such as a payout, that was added or removed is given as a whole. */
export const fieldValue = z.union([scalar, z.record(z.string(), scalar)])

/** One field that an event changed. */
export const fieldChange = z.object({ field: z.string(), from: fieldValue, to: fieldValue })
