import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { type FormEvent, useMemo, useState } from 'react'
import { faultsOf } from '#services/api/faults.ts'
import { TermsGiven } from '#services/modules/programmes/programme-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { TextArea } from '@/ui/field.tsx'
import type { Terms } from './programme-queries.ts'
import { TermsView } from './terms-view.tsx'

interface ProgrammeEditorProps<Input, Answer> {
  readonly title: string
  readonly initial: Terms
  readonly change: UseMutationOptions<Answer, Error, Input>
  readonly inputOf: (terms: Terms) => Input
  readonly onSaved?: (answer: Answer) => unknown
  readonly onClose: () => void
}

/** Writes the terms of a draft as JSON; beside it they stand in plain words, or each fault with its place. */
export function ProgrammeEditor<Input, Answer>({
  title,
  initial,
  change,
  inputOf,
  onSaved,
  onClose,
}: ProgrammeEditorProps<Input, Answer>) {
  const [text, setText] = useState(() => JSON.stringify(initial, null, 2))
  const [isSubmitted, setIsSubmitted] = useState(false)
  const save = useMutation(change)
  const read = useMemo(() => termsOf(text), [text])
  const refused = save.error instanceof ApiError ? Object.entries(save.error.fields) : []
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setIsSubmitted(true)
    if (read.terms === undefined) return
    save.mutate(inputOf(read.terms), {
      onSuccess: (answer) => {
        onClose()
        void onSaved?.(answer)
      },
    })
  }
  return (
    <FormDialog
      title={title}
      description="A draft: nobody enrols in it before it is published."
      submit="Save Draft"
      change={save}
      onSubmit={onSubmit}
      onClose={onClose}
      width="large"
    >
      <div className="grid gap-5 lg:grid-cols-2">
        <TextArea
          label="Terms as JSON"
          hint="The format is described in docs/rules.md."
          error={isSubmitted && read.terms === undefined ? 'Please correct the faults first' : undefined}
          rows={24}
          spellCheck={false}
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <section aria-label="Terms in words" aria-live="polite" className="min-w-0">
          {read.terms ? <TermsView terms={read.terms} /> : <FaultList faults={[...read.faults, ...refused]} />}
        </section>
      </div>
    </FormDialog>
  )
}

type Fault = readonly [place: string, message: string]

function FaultList({ faults }: { readonly faults: readonly Fault[] }) {
  return (
    <>
      <h3 className="mb-2 text-14 font-semibold">Faults</h3>
      <ul className="flex flex-col gap-2 text-13">
        {faults.map(([place, message]) => (
          <li key={place}>
            {place && <code className="font-mono">{place}</code>}
            <span className="block text-bad">{message}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

type Read = { readonly terms: Terms } | { readonly terms?: undefined; readonly faults: readonly Fault[] }

function termsOf(text: string): Read {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    return { faults: [['', `This is no JSON: ${error instanceof Error ? error.message : String(error)}`]] }
  }
  const { data, error } = TermsGiven.safeParse(json)
  return data ? { terms: data } : { faults: [...faultsOf(error)] }
}
