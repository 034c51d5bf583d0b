import { type UseMutationOptions, useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useMemo, useState } from 'react'
import { z } from 'zod'
import { faultsOf } from '#services/framework/api/faults.ts'
import { ProgrammeVersionAnswer, TermsGiven } from '#services/programmes/programmes/programme-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { Select, TextArea } from '@/ui/field.tsx'
import { Loaded, LoadingLines } from '@/ui/states.tsx'
import { type JsonObject, Members } from './schema-fields.tsx'
import { type Terms, termsInWordsQuery } from './programme-queries.ts'
import { TermsInWordsView } from './terms-in-words-view.tsx'

const schema = z.toJSONSchema(ProgrammeVersionAnswer.shape.terms)
type Fault = readonly [place: string, message: string]

const jsonObject = z.record(z.string(), z.json())

interface ProgrammeEditorProps<Input, Answer> {
  readonly title: string
  readonly initial: Terms
  /** A new programme may start from these; by default from the initial terms. */
  readonly presets?: readonly { readonly id: string; readonly terms: Terms }[]
  readonly change: UseMutationOptions<Answer, Error, Input>
  readonly inputOf: (terms: Terms) => Input
  readonly onSaved?: (answer: Answer) => unknown
  readonly onClose: () => void
}

/**
 * Writes the terms of a draft in a form, and as JSON beside it: each follows the other. Below they stand in plain words,
 * or each fault with its place; the form shows it at its field. A fault is shown once its field was changed, or all at
 * the attempt to save.
 */
export function ProgrammeEditor<Input, Answer>({
  title,
  initial,
  presets,
  change,
  inputOf,
  onSaved,
  onClose,
}: ProgrammeEditorProps<Input, Answer>) {
  const [text, setText] = useState(() => JSON.stringify(initial, null, 2))
  /** The paths of fields; '' is the whole document, written as JSON. */
  const [changed, setChanged] = useState<readonly string[]>([])
  const [isSubmitted, setIsSubmitted] = useState(false)
  const save = useMutation(change)
  const read = useMemo(() => termsOf(text), [text])
  const isShown = ([place]: Fault) => isSubmitted || changed.some((path) => path === '' || isWithin(path, place))
  const faults = new Map(read.faults.filter(isShown))
  for (const [place, message] of refusedOf(save.error)) faults.set(place, message)
  const edit = (next: string, path: string) => {
    setText(next)
    setChanged((before) => (before.includes(path) ? before : [...before, path]))
    save.reset()
  }
  const [preset, setPreset] = useState(
    () => presets?.find(({ terms }) => isSame({ ...terms, name: initial.name }, initial))?.id,
  )
  const start = (id: string) => {
    const found = presets?.find((one) => one.id === id)
    if (!found) return
    setPreset(id)
    setText(JSON.stringify({ ...found.terms, name: read.json?.['name'] ?? '' }, null, 2))
    setChanged([])
    save.reset()
  }
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
      {presets && (
        <Select
          label="Start from"
          hint="Another choice replaces the terms below, but the name."
          options={presets.map(({ id, terms }) => ({ value: id, label: terms.name }))}
          value={preset}
          onChange={({ target }) => start(target.value)}
        />
      )}
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <section aria-label="Terms as a form" className="flex max-h-[36rem] min-w-0 flex-col gap-4 overflow-y-auto p-1">
          {read.json ? (
            <Members
              schema={schema}
              value={read.json}
              path=""
              faults={faults}
              onChange={(next, path) => edit(JSON.stringify(next, null, 2), path)}
            />
          ) : (
            <p className="text-13 text-muted">The form is here again once the JSON can be read.</p>
          )}
        </section>
        <TextArea
          label="Terms as JSON"
          hint="The format is described in docs/rules.md."
          error={isSubmitted && read.terms === undefined ? 'Please correct the faults first' : undefined}
          rows={26}
          spellCheck={false}
          autoComplete="off"
          value={text}
          onChange={({ target }) => edit(target.value, '')}
        />
      </div>
      <section aria-label="Terms in words" aria-live="polite" className="min-w-0">
        {faults.size > 0 ? (
          <FaultList faults={[...faults]} />
        ) : read.terms ? (
          <DraftInWords terms={read.terms} />
        ) : (
          <p className="text-13 text-muted">The terms stand here in words once all fields are filled in.</p>
        )}
      </section>
    </FormDialog>
  )
}

function DraftInWords({ terms }: { readonly terms: Terms }) {
  const found = useQuery(termsInWordsQuery(terms))
  const loading = <LoadingLines lines={8} label="Loading the words" />
  return (
    <Loaded query={found} failure="The words could not be loaded" loading={loading}>
      {(words) => <TermsInWordsView words={words} />}
    </Loaded>
  )
}

function isSame(one: Terms, other: Terms): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

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

interface Read {
  /** Undefined where they have a fault. */
  readonly terms: Terms | undefined
  /** The document, for the form; undefined where the text is no JSON object. */
  readonly json: JsonObject | undefined
  readonly faults: readonly Fault[]
}

/** Whether a path leads to this place or into it. */
function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`)
}

/** Returns the refusals of the server, at the places of the form. */
function refusedOf(error: unknown): Fault[] {
  if (!(error instanceof ApiError)) return []
  return Object.entries(error.fields).map(([place, message]) => [place.replace(/^terms\./, ''), message] as const)
}

function termsOf(text: string): Read {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    const message = `This is no JSON: ${error instanceof Error ? error.message : String(error)}`
    return { terms: undefined, json: undefined, faults: [['', message]] }
  }
  const { data: object } = jsonObject.safeParse(parsed)
  const { data, error } = TermsGiven.safeParse(parsed)
  return { terms: data, json: object, faults: error ? [...faultsOf(error)] : [] }
}
