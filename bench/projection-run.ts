import { z } from 'zod'

/** What passes between the projection bench and its children. */

/**
 * 'rebuild': all views anew, beside those that are served. 'live': many small batches, on views that hold most of the
 * log already. 'prepare': a log, and views that are up to date.
 */
export const projectionRun = z.object({
  dataDir: z.string(),
  what: z.enum(['prepare', 'rebuild', 'live']),
  events: z.int(),
  liveEvents: z.int(),
  /** Keep what is written, for the floor to write it again. */
  recordTo: z.string().optional(),
})

export const projectionOutcome = z.object({
  ms: z.number(),
  /** Ms of a processor: other work on the machine changes it less than the time on the clock. */
  cpu: z.number(),
  /** Of the whole process, in MB. */
  peakMemory: z.number(),
  /** When it was timed, on the machine's clock. */
  timed: z.object({ from: z.number(), to: z.number() }),
})

/** Events a batch while commands keep coming. */
export const LIVE_BATCH = 32

/** A value as JSON can hold it. */
const value = z.union([z.string(), z.number(), z.null(), z.object({ blob: z.string() })])

/** One write to one view as it was recorded: the rows of its documents as they stood afterwards. */
export const recordedWrite = z.object({
  timed: z.boolean(),
  collection: z.string(),
  checkpoint: z.string(),
  position: z.string(),
  columns: z.array(z.string()),
  rows: z.array(z.array(value)),
})
export type RecordedWrite = z.infer<typeof recordedWrite>
