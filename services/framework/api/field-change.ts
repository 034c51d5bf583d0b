import { z } from 'zod'

const scalar = z.union([z.null(), z.boolean(), z.number(), z.string()])

/** The value of a field. An item of a list, such as a payout, that was added or removed is given as a whole. */
export const fieldValue = z.union([scalar, z.record(z.string(), scalar)])

/** One field that an event changed. */
export const fieldChange = z.object({ field: z.string(), from: fieldValue, to: fieldValue })
