import { z } from 'zod'

/** What passes between the append bench and its children. */
export const serverOutcome = z.object({ url: z.string() })
export const appendInput = z.object({ url: z.string(), appends: z.int(), rounds: z.int() })

/** Ms of each side, one a round, by how many are in flight. */
export const appendOutcome = z.object({ took: z.record(z.string(), z.array(z.number()).readonly()) })

export const IN_FLIGHT = [1, 64]
