import { z } from 'zod'
import type { RecordedEvent } from '../event-sourcing/codec/event-codec.ts'
import { eventNumber } from '../event-sourcing/codec/event-number.ts'

/** What a view keeps of the fact behind a decision, so that a screen can say which fact it was, when, and by whom. */
export const stamp = z.object({
  /** The fact's number: its place in the whole log. */
  number: z.int(),
  at: z.int(),
  by: z.enum(['trader', 'admin', 'system']),
  /** The label of an access key or of the program's own part; null for a trader. */
  name: z.string().nullable(),
})

export type StampDocument = z.infer<typeof stamp>

/** A stamp, or null where nothing was decided yet; documents of before there were stamps have none. */
export const stampOrNone = stamp.nullable().default(null)

/** The same with the words of whoever decided; those of before there were any have none. */
export const reasonedStampOrNone = stamp
  .extend({ reason: z.string().nullable().default(null) })
  .nullable()
  .default(null)

/** The stamp of a fact. It reads the fact's metadata, which costs more than folding: for decisions, not for every balance. */
export function stampOf(fact: RecordedEvent): StampDocument {
  const { actor } = fact.metadata
  return { number: eventNumber(fact), at: fact.at, by: actor.kind, name: actor.kind === 'trader' ? null : actor.label }
}
