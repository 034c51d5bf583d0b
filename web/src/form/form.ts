import type { FieldValues, Path, Resolver, UseFormSetError } from 'react-hook-form'
import { ApiError } from '../api/api-error.ts'

/** Checks a form by a schema of the contract, which is loaded when somebody begins to fill the form in. */
export function checkedBy<Values extends FieldValues, Checked extends FieldValues>(
  load: () => Promise<Resolver<Values, unknown, Checked>>,
): Resolver<Values, unknown, Checked> {
  return async (...given) => (await load())(...given)
}

/** Shows what only the server could find at the fields that it names. */
export function showAtFields<Values extends FieldValues>(error: unknown, fields: readonly Path<Values>[], setError: UseFormSetError<Values>): void {
  if (!(error instanceof ApiError)) return
  const named = fields.filter((field) => error.fields[field] !== undefined)
  named.forEach((field, index) => setError(field, { message: error.fields[field] ?? '' }, { shouldFocus: index === 0 }))
}
