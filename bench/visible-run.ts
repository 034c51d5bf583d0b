import { z } from 'zod'

/** What passes between the visibility bench and its child. */
export const visibleInput = z.object({ changes: z.int(), others: z.int(), traders: z.int() })

/** Ms from the log's acknowledgement of a change, and of one durable append beside it. */
const times = z.object({
  /** Until the view has it. */
  shown: z.array(z.number()),
  /** Until a GET that carries its position is answered. */
  answered: z.array(z.number()),
  durable: z.array(z.number()),
})
export type Times = z.infer<typeof times>

/** Alone, and while others are at work. */
export const visibleOutcome = z.object({ alone: times, loaded: times })
