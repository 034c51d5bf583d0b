import { isoTime } from './event-description.ts'
import type { Stamp } from '#services/framework/api/stamp-schemas.ts'
import { z } from 'zod'
import { actor, actorKinds } from '#services/framework/api/actor.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-decoding.ts'

/** The event behind a decision, as a read model keeps it: its number, when, and by whom. */
export const stamp = z.object({
  number: z.int(),
  at: z.int(),
  by: z.enum(actorKinds),
  /** The label of an access key, or of a part of the program; null for a trader. */
  name: z.string().nullable(),
})

export type StampDocument = z.infer<typeof stamp>

/** Null where nothing was decided yet. */
export const stampOrNone = stamp.nullable()

/** The same with the reason of the decision. */
const reasonedStamp = stamp.extend({ reason: z.string().nullable() })
export type ReasonedStampDocument = z.infer<typeof reasonedStamp>
export const reasonedStampOrNone = reasonedStamp.nullable()

export function stampOf(event: RecordedEvent): StampDocument {
  const by = actor.parse(event.metadata.actor)
  return { number: eventNumber(event), at: event.at, by: by.kind, name: by.kind === 'trader' ? null : by.label }
}

/** Administrators and auditors see whose key decided; traders only see that it was an administrator's. */
export type Audience = 'trader' | 'admin'

/** A stamp in an answer. */
export function stampResponse({ number, at, by, name }: StampDocument, reader: Audience): Stamp {
  return { number, at: isoTime(at), by, name: reader === 'admin' ? name : null }
}

/** The same for a decision that may not have been taken yet. */
export function stampOrNoneResponse(stamp: StampDocument | null, reader: Audience): Stamp | null {
  return stamp && stampResponse(stamp, reader)
}
