import { z } from 'zod'

/**
 * What the worker keeps of its comparisons of the read models with the log: plain data and pure functions. Times are ms
 * since 1970.
 */

const cost = z.object({ startedAt: z.int(), processorMs: z.number() })

/** A read model with documents that are not what the log says. Which, only the process log says: ids name persons. */
const alteredView = z.object({ view: z.string(), documents: z.int(), foundAt: z.int(), seenAt: z.int() })

export const comparisonRecord = z.object({
  /** The last one that came to an end. */
  ended: cost.nullable(),
  /** The last one that compared all read models. */
  complete: cost.nullable(),
  /** Found by the last one, or by the one under way. */
  altered: z.array(alteredView),
})
export type ComparisonRecord = Readonly<z.infer<typeof comparisonRecord>>

export const nothingCompared: ComparisonRecord = { ended: null, complete: null, altered: [] }

/** One more document is not what the log says. */
export function withDifference(
  record: ComparisonRecord,
  view: string,
  startedAt: number,
  now: number,
): ComparisonRecord {
  const known = record.altered.find((altered) => altered.view === view)
  const documents = known && known.seenAt >= startedAt ? known.documents + 1 : 1
  const others = record.altered.filter((altered) => altered !== known)
  return { ...record, altered: [...others, { view, documents, foundAt: known?.foundAt ?? now, seenAt: now }] }
}

/**
 * A comparison has ended. What it has not found again is gone.
 *
 * @param behind The read models that were behind the log.
 */
export function afterComparison(
  { complete, altered }: ComparisonRecord,
  ended: z.infer<typeof cost>,
  behind: readonly string[],
): ComparisonRecord {
  return {
    ended,
    complete: behind.length === 0 ? ended : complete,
    altered: altered.filter(({ seenAt, view }) => seenAt >= ended.startedAt || behind.includes(view)),
  }
}
