import { z } from 'zod'

/** What passes between the bench of projecting into MongoDB's protocol and its children. */

export const mongodbRun = z.object({
  /** A database that nobody has used. */
  url: z.string(),
  events: z.int(),
  liveEvents: z.int(),
  /** Keep what is written, for the floor to write it again. */
  recordTo: z.string().optional(),
})

export const mongodbFloor = z.object({
  url: z.string(),
  recording: z.string(),
  /** Each document only where it still stands where it was read, as a view store has to; else by its id alone. */
  guarded: z.boolean(),
})

const took = z.object({ ms: z.number(), timed: z.object({ from: z.number(), to: z.number() }) })

/** 'fill': a log into empty collections, in large batches. 'live': then small batches, while all indexes are there. */
export const mongodbOutcome = z.object({ fill: took, live: took })
export const stages = ['fill', 'live'] as const
export type Stage = (typeof stages)[number]

/** What stands beside a document's id in the database. */
const content = z.object({
  position: z.string(),
  gone: z.boolean(),
  document: z.string().nullable(),
  keys: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  search: z.string(),
  grams: z.array(z.string()).readonly(),
})

/** One write to one view as it was recorded: what its documents were to be in the database. */
export const recordedMongodbWrite = z.object({
  stage: z.enum(stages),
  collection: z.string(),
  /** The end of the batch, which all views share. */
  position: z.string(),
  made: z.array(content.extend({ _id: z.string(), made: z.int() })),
  changed: z.array(z.object({ _id: z.string(), expected: z.string(), content })),
})
export type RecordedMongodbWrite = z.infer<typeof recordedMongodbWrite>
