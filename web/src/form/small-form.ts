import { useState, type FormEvent } from 'react'
import { ApiError } from '../api/api-error.ts'

/** What a check found: the values to send, or a message a field. */
export type Checked<Values> = { readonly values: Values } | { readonly errors: Readonly<Record<string, string>> }

/** Loads with the first touch of a form: the code that checks is no part of the first page. */
export type LoadCheck<Values> = () => Promise<(given: unknown) => Checked<Values>>

/**
 * A form of plain fields, for the screens that strangers see first: react-hook-form would be a tenth of what they load.
 * Fields keep their values themselves and are found by their names. Checked at the first try to send, then at every change.
 */
export function useSmallForm<Values>(load: LoadCheck<Values>, send: (values: Values) => void) {
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [tried, setTried] = useState(false)
  const check = async (form: HTMLFormElement) => {
    const found = (await load())(valuesOf(form))
    setErrors('errors' in found ? found.errors : {})
    return found
  }
  const showErrors = (form: HTMLFormElement, found: Readonly<Record<string, string>>) => {
    setErrors(found)
    const first = fieldsOf(form).find(({ name }) => found[name] !== undefined)
    first?.focus()
  }
  return {
    errors,
    /** Shows what only the server could find at the fields that it names. */
    showRefusal: (error: unknown) => error instanceof ApiError && setErrors(error.fields),
    /** For the `<form>`. */
    form: {
      noValidate: true,
      onFocus: () => void load(),
      onChange: ({ currentTarget }: FormEvent<HTMLFormElement>) => {
        if (tried) void check(currentTarget)
      },
      onSubmit: (event: FormEvent<HTMLFormElement>) => {
        event.preventDefault()
        const form = event.currentTarget
        setTried(true)
        void check(form).then((found) => ('errors' in found ? showErrors(form, found.errors) : send(found.values)))
      },
    },
  }
}

type NamedField = HTMLInputElement | HTMLSelectElement

function fieldsOf(form: HTMLFormElement): NamedField[] {
  return [...form.elements].filter(
    (element): element is NamedField => (element instanceof HTMLInputElement || element instanceof HTMLSelectElement) && element.name !== '',
  )
}

function valuesOf(form: HTMLFormElement): Record<string, string | boolean> {
  return Object.fromEntries(
    fieldsOf(form).map((field) => [field.name, field instanceof HTMLInputElement && field.type === 'checkbox' ? field.checked : field.value]),
  )
}
