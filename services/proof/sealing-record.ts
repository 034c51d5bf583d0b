import { z } from 'zod'
import { AlteredLog } from './sealer.ts'
import { LostSeals } from './seal.ts'
import { WitnessRefusal } from './witness-requests.ts'

/** How sealing and the requests to witnesses go: plain data and pure functions. Times are ms since 1970. */

const trouble = { says: z.string(), since: z.int() }

export const sealingRecord = z.object({
  /** Why the last attempt to seal failed; null after one that did not. */
  failure: z.object({ kind: z.enum(['seals-lost', 'log-altered', 'other']), ...trouble }).nullable(),
  /** The witnesses whose last answer was no cosignature. */
  witnesses: z.array(z.object({ name: z.string(), kind: z.enum(['contradicts', 'silent']), ...trouble })),
})
export type SealingRecord = Readonly<z.infer<typeof sealingRecord>>

export const allSealed: SealingRecord = { failure: null, witnesses: [] }

/** The log was sealed, or could not be. */
export function afterSealing(record: SealingRecord, error: Error | undefined, now: number): SealingRecord {
  if (!error) return { ...record, failure: null }
  const kind =
    error instanceof LostSeals ? 'seals-lost' : error instanceof AlteredLog ? 'log-altered' : ('other' as const)
  const since = record.failure?.kind === kind ? record.failure.since : now
  return { ...record, failure: { kind, says: error.message, since } }
}

/** A witness has cosigned the newest checkpoint, or did not. */
export function afterAsking(
  record: SealingRecord,
  { name, error }: { readonly name: string; readonly error: Error | undefined },
  now: number,
): SealingRecord {
  const before = record.witnesses.find((witness) => witness.name === name)
  const others = record.witnesses.filter((witness) => witness !== before)
  if (!error) return { ...record, witnesses: others }
  // One that has contradicted and is away now has not taken it back.
  if (before?.kind === 'contradicts' && !(error instanceof WitnessRefusal)) return record
  const kind = error instanceof WitnessRefusal ? 'contradicts' : ('silent' as const)
  const since = before?.kind === kind ? before.since : now
  return { ...record, witnesses: [...others, { name, kind, says: error.message, since }] }
}
