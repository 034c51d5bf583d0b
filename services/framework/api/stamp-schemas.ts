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
