import { useState, type FormEvent } from 'react'
import { ApiError } from '../api/api-error.ts'

/** The result of a validation: the values to send, or messages by field. */
export type Checked<Values> = { readonly values: Values } | { readonly errors: Readonly<Record<string, string>> }

/** Loads the validation when the form first gets the focus: it is not part of the first load. */
export type LoadCheck<Values> = () => Promise<(input: unknown) => Checked<Values>>

/**
 * A form of uncontrolled fields for the signed-out screens, where react-hook-form would add a tenth to the first load.
 * Validates on the first submit, then on every change.
 */
export function useSmallForm<Values>(load: LoadCheck<Values>, send: (values: Values) => void) {
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const check = async (form: HTMLFormElement) => {
    const result = (await load())(valuesOf(form))
    setErrors('errors' in result ? result.errors : {})
    return result
  }
  const showErrors = (form: HTMLFormElement, messages: Readonly<Record<string, string>>) => {
    setErrors(messages)
    const first = fieldsOf(form).find(({ name }) => messages[name] !== undefined)
    first?.focus()
  }
  return {
    errors,
    /** Shows the server's validation messages at their fields. */
    showRefusal: (error: unknown) => error instanceof ApiError && setErrors(error.fields),
    /** Props of the `<form>`. */
    form: {
      noValidate: true,
      onFocus: () => void load(),
      onChange: ({ currentTarget }: FormEvent<HTMLFormElement>) => {
        if (wasSubmitted) void check(currentTarget)
      },
      onSubmit: (event: FormEvent<HTMLFormElement>) => {
        event.preventDefault()
        const form = event.currentTarget
        setWasSubmitted(true)
        void check(form).then((result) => ('errors' in result ? showErrors(form, result.errors) : send(result.values)))
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
