import { z } from 'zod'

/** What passes between the bench of how soon a change is visible among separate processes, and its child. */
export const visibleApartInput = z.object({
  dataDir: z.string(),
  environment: z.record(z.string(), z.string()),
  /** Where the query service listens. */
  queryUrl: z.string(),
  changes: z.int(),
  others: z.int(),
  traders: z.int(),
})

/** Ms. */
const times = z.object({
  /** What the log takes to acknowledge a change. */
  appended: z.array(z.number()),
  /** From then until a GET that carries its position is answered. */
  answered: z.array(z.number()),
})
export type TimesApart = z.infer<typeof times>

/** Alone, and while others are at work. */
export const visibleApartOutcome = z.object({ alone: times, loaded: times })
