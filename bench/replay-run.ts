import { z } from 'zod'

/** What passes between the replay bench and its child. */
export const replayInput = z.object({ events: z.int(), rounds: z.int() })

/** Ms of each side, one a round. */
export const replayOutcome = z.object({ took: z.record(z.string(), z.array(z.number()).readonly()) })
