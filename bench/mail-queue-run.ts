import { z } from 'zod'

/** What passes between the bench of the mail queue and its child. */
export const mailQueueInput = z.object({ url: z.string(), mails: z.int(), rounds: z.int() })

/** Ms of each side, one a round, by how many mails a batch has. */
export const mailQueueOutcome = z.object({ took: z.record(z.string(), z.array(z.number()).readonly()) })

/** A burst, as after an outage; a small batch; and one mail alone, which is no batch. */
export const BATCHES = [100, 10, 1]
