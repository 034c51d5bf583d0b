import type { z } from 'zod'
import { validationFailure } from '../../../../services/api/error-schemas.ts'
import { Credentials, PasswordForgotten, PasswordResetForm, RegistrationForm } from '../../../../services/api/session-schemas.ts'
import type { Checked } from '../../form/small-form.ts'

/** Validation of the session's forms (specification §5) by the API's schemas, loaded when a form first gets the focus. */

function checkBy<Values>(schema: z.ZodType<Values>) {
  return (input: unknown): Checked<Values> => {
    const { data, error } = schema.safeParse(input)
    return error ? { errors: validationFailure(error).errors ?? {} } : { values: data }
  }
}

export const checkCredentials = checkBy(Credentials)
export const checkRegistration = checkBy(RegistrationForm)
export const checkPasswordForgotten = checkBy(PasswordForgotten)
export const checkPasswordReset = checkBy(PasswordResetForm)
