import { z } from 'zod'
import { faultsOf } from './faults.ts'
import { namedObject } from './openapi-component.ts'

/**
 * The step that the call needs before it can succeed: a second factor at sign-in; a confirmation, because the last is
 * too old; a first second factor, because the firm requires one; another sign-in, because the session expired or was
 * ended elsewhere.
 */
export const errorCodes = [
  'second-factor-required',
  'confirmation-required',
  'second-factor-enrolment-required',
  'session-expired',
  'session-ended',
] as const

/** The body of every error answer. */
export const ErrorAnswer = namedObject(
  'Error',
  {
    message: z.string(),
    /** After a validation: a message per field, nested fields joined by dots, entries of lists as '[0]'. */
    errors: z.record(z.string(), z.string()).optional(),
    /** For programs, where a person must do something first. */
    code: z.enum(errorCodes).optional(),
    /** The id of what is there already, where only one can be. */
    id: z.string().optional(),
  },
  "What went wrong, for a person. After a validation also each field's message; `message` is then the first field's.",
)
export type ErrorAnswer = z.infer<typeof ErrorAnswer>

/** The 403 of a banned trader, at sign-in and on every call of an open session. */
export const BannedAnswer = namedObject('Banned', {
  banned: z.literal(true),
  message: z.string(),
  banReason: z.string().nullable(),
})
export type BannedAnswer = z.infer<typeof BannedAnswer>

/** The answer of a change without further content. */
export const DoneAnswer = namedObject('Done', { message: z.string().optional() })

/**
 * The 400 answer for a zod error: the first message of each field, and the first field's as the message of all.
 * Zod reports in the order of the schema's fields, which is also the form's.
 */
export function validationFailure(error: z.core.$ZodError): ErrorAnswer {
  const errors = faultsOf(error)
  const [message = 'Invalid input'] = errors.values()
  // An error of the body as a whole (not an object) belongs to no field.
  errors.delete('')
  return errors.size > 0 ? { message, errors: Object.fromEntries(errors) } : { message }
}

/** The same answer for a rule that only the server can check (a taken email, a wrong current password). */
export function fieldFailure(field: string, message: string): ErrorAnswer {
  return { message, errors: { [field]: message } }
}
