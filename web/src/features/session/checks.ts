import type { z } from 'zod'
import { validationFailure } from '../../../../services/api/error-schemas.ts'
import { Credentials, PasswordForgotten, PasswordResetForm, RegistrationForm } from '../../../../services/api/session-schemas.ts'
import type { Checked } from '../../form/small-form.ts'

/** The checks of the session's forms (specification §5), by the contract. Loaded with the first touch of a form. */

function checkBy<Values>(schema: z.ZodType<Values>) {
  return (given: unknown): Checked<Values> => {
    const { data, error } = schema.safeParse(given)
    return error ? { errors: validationFailure(error).errors ?? {} } : { values: data }
  }
}

export const checkCredentials = checkBy(Credentials)
export const checkRegistration = checkBy(RegistrationForm)
export const checkPasswordForgotten = checkBy(PasswordForgotten)
export const checkPasswordReset = checkBy(PasswordResetForm)
