import { z } from 'zod'
import { missingOrInvalid } from './text.ts'

/** The Idempotency-Key header of a request that takes effect once, however often it is sent. */
export const IdempotencyKey = z
  .string({ error: missingOrInvalid })
  .regex(/^[\x20-\x7e]{1,200}$/, 'Idempotency-Key must be 1 to 200 plain characters')
