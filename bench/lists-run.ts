import { z } from 'zod'

/** What the lists bench tells its child. */
export const listsInput = z.object({ count: z.int(), adminKey: z.string() })
