import { type FormEvent, useRef, useState } from 'react'
import { ApiError, messageOf } from '../api/api-error.ts'
import type { LoadSchema } from '../api/api.ts'
import { toastFailure } from '../toast.ts'

type FieldValue = string | boolean | File | undefined
type Values = Readonly<Record<string, FieldValue>>
type Messages = Readonly<Partial<Record<string, string>>>

/**
 * A form. `initial` may change later: unedited fields follow it. The schema loads when the form first gets the
 * focus, so that no first load has it. It checks at the first submit, then at every change; its messages appear at the
 * fields, nested names joined by dots. `send` gets what the schema makes of the values, and the values as typed.
 */
export function useForm<Input extends object, Checked>(initial: Input, loadSchema: LoadSchema<Checked>, send: (checked: Checked, values: Input) => void) {
  const [edits, setEdits] = useState<Values>({})
  const [errors, setErrors] = useState<Messages>({})
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const values: Input & Values = { ...initial, ...edits }

  const check = async (input: Input) => {
    const result = (await loadSchema()).safeParse(input)
    // The first message of a field counts.
    const issues = result.success ? [] : result.error.issues.toReversed()
    const messages = Object.fromEntries(issues.map(({ path, message }) => [path.map(String).join('.'), message]))
    setErrors(messages)
    return { ...result, messages }
  }
  const focusFirst = (messages: Messages) =>
    [...(form.current?.elements ?? [])]
      .filter(isControl)
      .find(({ name }) => messages[name] !== undefined)
      ?.focus()
  const showRefusal = (error: unknown) => {
    if (!(error instanceof ApiError)) return
    setErrors(error.fields)
    focusFirst(error.fields)
  }
  const set = (changes: Values) => {
    setEdits((before) => ({ ...before, ...changes }))
    if (wasSubmitted) void check({ ...values, ...changes })
  }
  const submit = async () => {
    setWasSubmitted(true)
    const result = await check(values)
    if (result.success) send(result.data, values)
    else focusFirst(result.messages)
  }
  return {
    values,
    /** Whether any field differs from its initial value. */
    isEdited: Object.entries({ ...initial }).some(([name, value]) => values[name] !== value),
    /** Props of a text field or select. */
    field: (name: keyof Input & string) => ({
      name,
      value: String(values[name] ?? ''),
      error: errors[name],
      onChange: ({ target }: { readonly target: { readonly value: string } }) => set({ [name]: target.value }),
    }),
    errors,
    set,
    /** Back to the initial values. */
    reset: () => {
      setEdits({})
      setErrors({})
      setWasSubmitted(false)
    },
    /** Shows the server's validation messages at their fields. */
    showRefusal,
    /** The same, with a brief toast: for `onError`. `fallback` is its text where the server gives none. */
    reportRefusal: (title: string, fallback?: string) => (error: Error) => {
      showRefusal(error)
      toastFailure(title, messageOf(error, fallback), { brief: true })
    },
    /** Props of the `<form>`. */
    form: {
      ref: form,
      noValidate: true,
      onFocus: () => void loadSchema(),
      onSubmit: (event: FormEvent<HTMLFormElement>) => {
        event.preventDefault()
        void submit()
      },
    },
  }
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

function isControl(element: Element): element is Control {
  return element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement
}
