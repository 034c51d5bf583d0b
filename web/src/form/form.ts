import type { FieldValues, Path, Resolver, UseFormSetError } from 'react-hook-form'
import { ApiError } from '../api/api-error.ts'

/** Validates a form by a schema that loads when the form first gets the focus. */
export function checkedBy<Values extends FieldValues, Checked extends FieldValues>(
  load: () => Promise<Resolver<Values, unknown, Checked>>,
): Resolver<Values, unknown, Checked> {
  return async (...input) => (await load())(...input)
}

/** Shows the server's validation messages at their fields. */
export function showAtFields<Values extends FieldValues>(error: unknown, fields: readonly Path<Values>[], setError: UseFormSetError<Values>): void {
  if (!(error instanceof ApiError)) return
  const named = fields.filter((field) => error.fields[field] !== undefined)
  named.forEach((field, index) => setError(field, { message: error.fields[field] ?? '' }, { shouldFocus: index === 0 }))
}
