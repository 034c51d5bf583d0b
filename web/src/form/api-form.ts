import { toNestErrors } from '@hookform/resolvers'
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useCallback, useEffect, useState } from 'react'
import {
  type FieldError,
  type FieldErrors,
  type FieldValues,
  get,
  type Path,
  type PathValue,
  type RegisterOptions,
  type SubmitHandler,
  useForm,
  type UseFormRegisterReturn,
} from 'react-hook-form'
import type { z } from 'zod'
import { ApiError, messageOf } from '@/api/api-error.ts'
import { toastFailure } from '@/toast.ts'

/** Props of a text field, select or checkbox. */
export type FieldProps = UseFormRegisterReturn & { readonly error: string | undefined }

/**
 * React Hook Form with the schema of a call. The schema checks all fields at each submit; after the first one it also
 * checks a field when it changes, together with its `deps`. Unedited fields follow `initial` when it changes.
 */
export function useApiForm<Values extends FieldValues, Checked>(schema: z.ZodType<Checked>, initial: Values) {
  const [refusals, setRefusals] = useState<FieldErrors<Values>>({})
  /** In the order of the form. */
  const [names] = useState(() => new Set<Path<Values>>())
  // Fields hold texts that the schema's input type excludes, such as '' in a select.
  const { types: _, ...standard } = schema['~standard']
  const form = useForm<Values, unknown, Checked>({
    resolver: standardSchemaResolver<Values, unknown, Checked>({ '~standard': standard }),
    values: initial,
    resetOptions: { keepDirtyValues: true, keepErrors: true, keepIsSubmitted: true },
    errors: refusals,
    // The library focuses a second time after a delay: by then the person may type, and the next field would take the
    // keys.
    shouldFocusError: false,
  })
  const { errors, isSubmitted } = form.formState
  const { setFocus } = form
  const focusFirst = useCallback(
    (invalid: FieldErrors<Values>) => {
      for (const name of names) if (get(invalid, name)) return setFocus(name)
    },
    [names, setFocus],
  )
  useEffect(() => focusFirst(refusals), [focusFirst, refusals])

  const showRefusal = (error: unknown) => {
    if (!(error instanceof ApiError)) return
    const messages = Object.entries(error.fields).map(([name, message]) => [name, { type: 'server', message }])
    setRefusals(toNestErrors(Object.fromEntries(messages), { fields: {}, shouldUseNativeValidation: false }))
  }
  return {
    ...form,
    handleSubmit: (send: SubmitHandler<Checked>) => form.handleSubmit(send, focusFirst),
    /** `register`, with the message of the field. */
    field: <Name extends Path<Values>>(name: Name, options?: RegisterOptions<Values, Name>): FieldProps => {
      names.add(name)
      const error: FieldError | undefined = get(errors, name)
      return { ...form.register(name, options), error: error?.message }
    },
    /** Changes a field as typing does. */
    change: <Name extends Path<Values>>(name: Name, value: PathValue<Values, Name>) =>
      form.setValue(name, value, { shouldDirty: true, shouldValidate: isSubmitted }),
    /** Back to the initial values, in edited fields too. */
    reset: () => form.reset(undefined, { keepDirtyValues: false, keepErrors: false, keepIsSubmitted: false }),
    /** Shows the server's validation messages at their fields, and focuses the first. */
    showRefusal,
    /** The same, with a brief toast: for `onError`. `fallback` is its text where the server gives none. */
    reportRefusal: (title: string, fallback?: string) => (error: Error) => {
      showRefusal(error)
      toastFailure(title, messageOf(error, fallback), { brief: true })
    },
  }
}
