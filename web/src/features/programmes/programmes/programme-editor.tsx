import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useMemo, useRef, useState } from 'react'
import { z } from 'zod'
import { faultsOf } from '#services/framework/api/faults.ts'
import { TermsGiven } from '#services/programmes/programmes/programme-draft-api.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { type Challenge, challenges } from '#services/programmes/programmes/challenges.ts'
import { generalSentences } from '#services/rules/sentences.ts'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { AlertDialog } from '@/ui/dialog.tsx'
import { Select, TextArea } from '@/ui/field.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { useUnsaved } from '@/ui/unsaved-work.ts'
import {
  blankPaths,
  changed,
  type Family,
  filled,
  filledAmount,
  inUnit,
  type JsonObject,
  listAt,
  rewritten,
  sizeOf,
  textAt,
} from './family.ts'
import type { Terms } from './programme-queries.ts'
import { type Outcome, saveTogether, type Writ } from './publication.ts'
import { Review } from './review.tsx'
import { SentenceFields, type Writing } from './sentence-fields.tsx'
import { SizesCard } from './sizes-card.tsx'
import { AddStage, StageCard } from './stage-card.tsx'

const jsonObject = z.record(z.string(), z.json())
const keptFamily = z.tuple([keptMember()], keptMember())
function keptMember() {
  return z.object({
    terms: jsonObject,
    programme: z.object({ id: z.string(), draft: z.int().nullable() }).optional(),
  })
}

interface ProgrammeEditorProps {
  readonly title: string
  /** What the page is for. */
  readonly children: ReactNode
  readonly initial: Family
  /** A new programme may start from each challenge. */
  readonly startsFrom?: Challenge
  /** Beside the title. */
  readonly notice?: ReactNode
}

/**
 * Writes the terms of programmes in the sentences in which they are read, with blanks to fill in: one programme for each
 * size, saved and published together. A fault is shown once its blank was changed, or all at the attempt to save.
 */
export function ProgrammeEditor({ title, children, initial, startsFrom, notice }: ProgrammeEditorProps) {
  const [family, setFamily] = useState(initial)
  const [unchanged] = useState(initial)
  /** Paths of blanks; '' is the whole document, written as JSON. */
  const [touched, setTouched] = useState<readonly string[]>([])
  const [isSubmitted, setIsSubmitted] = useState(false)
  const [isJsonShown, setIsJsonShown] = useState(false)
  const [isAsked, setIsAsked] = useState(false)
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>()
  /** Why the text of the JSON is no document. */
  const [jsonProblem, setJsonProblem] = useState<string>()
  const [start, setStart] = useState(startsFrom)
  const form = useRef<HTMLFormElement>(null)
  const navigate = useNavigate()
  const save = useMutation(saveTogether)
  const read = useMemo(() => family.map(({ terms }) => termsOf(terms)), [family])
  const writs = writsOf(family, read)
  useUnsaved(() => family !== unchanged && !save.isSuccess)

  const edit = (next: Family, path: string) => {
    setFamily(next)
    setTouched((before) => (before.includes(path) ? before : [...before, path]))
    save.reset()
    // What was changed by a button survives a reload as well.
    form.current?.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const isShown = (place: string) => isSubmitted || touched.some((path) => path === '' || isWithin(path, place))
  const faultsAt = (n: number): ReadonlySet<string> =>
    new Set([...(read[n]?.faults.keys() ?? [])].filter((place) => isShown(n === 0 ? place : `${n} ${place}`)))
  const faults = faultsAt(0)
  const [{ terms: first }] = family
  const writing: Writing = {
    sizes: family
      .map(({ terms }) => sizeOf(terms))
      .filter((size) => size > 0)
      .toSorted((one, other) => one - other),
    isFault: (path) => [...faults].some((place) => isWithin(path, place)),
    fill: (path, value) => edit(filled(family, path, value), path),
    fillAmount: (path, typed, blank) => edit(filledAmount(family, path, typed, blank), path),
    changeUnit: (path, of) => edit(inUnit(family, path, of), path),
  }
  const change = (next: (terms: JsonObject) => JsonObject, path: string) => edit(changed(family, next), path)
  const others = otherFaults(first, read[0]?.faults ?? new Map(), faults)

  const submit = (publishes: boolean) => {
    if (!writs) return
    save.mutate(
      { writs, publishes },
      {
        onSuccess: async (found) => {
          const [only] = found
          if (found.length === 1 && only?.drafted && only.state !== 'failed')
            return navigate({
              to: '/admin/programmes/$id',
              params: { id: only.drafted.id },
              search: { version: String(only.drafted.version) },
              ignoreBlocker: true,
            })
          if (found.every(({ state }) => state === 'published' || state === 'saved'))
            return navigate({ to: '/admin/programmes', ignoreBlocker: true })
          setFamily(afterwards(family, found))
          if (found.length > 1) setOutcomes(found)
        },
        onSettled: () => setIsAsked(false),
      },
    )
  }
  /** Shows every fault, and goes to the first. */
  const check = (): boolean => {
    setIsSubmitted(true)
    if (writs && jsonProblem === undefined) return true
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
    return false
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (check()) setIsAsked(true)
  }
  if (outcomes) return <Review outcomes={outcomes} onBack={() => setOutcomes(undefined)} />

  const stages = listAt(first, 'stages')
  const many = family.length > 1
  return (
    <>
      <PageHeader
        title={title}
        action={
          <Button look="quiet" aria-expanded={isJsonShown} onClick={() => setIsJsonShown(!isJsonShown)}>
            {isJsonShown ? 'Hide JSON' : 'Write as JSON'}
          </Button>
        }
      >
        {children}
      </PageHeader>
      {notice}
      {isJsonShown && (
        <JsonCard
          name={many ? (textAt(first, 'name') ?? '') : undefined}
          terms={first}
          problem={jsonProblem}
          onChange={(terms) => {
            setJsonProblem(undefined)
            edit(rewritten(family, terms), '')
          }}
          onProblem={setJsonProblem}
        />
      )}
      <form ref={form} noValidate onSubmit={onSubmit} className="flex flex-col gap-6">
        {/* What the whole page holds, for a reload: it is kept as other fields are. */}
        <textarea
          hidden
          name="programme"
          value={JSON.stringify(family)}
          onChange={({ target }) => {
            const kept = familyOf(target.value)
            if (kept) setFamily(kept)
          }}
        />
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <SizesCard
            family={family}
            faultsAt={faultsAt}
            onEdit={(next, n, path) => edit(next, n === 0 ? path : `${n} ${path}`)}
          >
            {start && (
              <Select
                label="Start from"
                className="max-w-md"
                hint="Another choice replaces the sentences below."
                options={challenges.map((value) => ({ value, label: challengeNames[value] }))}
                value={start}
                onChange={({ target }) => {
                  const found = challenges.find((each) => each === target.value)
                  if (!found) return
                  setStart(found)
                  const preset = jsonObject.parse(presetTerms(found, 100_000))
                  const own = { name: first['name'] ?? '', accountSize: first['accountSize'] ?? '' }
                  edit(rewritten(family, { ...preset, ...own }), 'stages')
                }}
              />
            )}
          </SizesCard>
          <Card title="For all stages" className={many ? 'lg:col-span-2' : ''}>
            <div className={`grid gap-2 ${many ? 'lg:grid-cols-2' : ''}`}>
              {Object.entries(generalSentences).map(([name, sentence]) => (
                <div key={name} role="group" aria-label={sentence.title} className="min-w-0">
                  <p className="text-13 font-semibold">{sentence.title}</p>
                  <SentenceFields sentence={sentence} terms={first} path="" writing={writing} />
                </div>
              ))}
            </div>
          </Card>
        </div>
        <div className={stageGrid(stages.length)}>
          {stages.map((_, n) => (
            <StageCard key={n} terms={first} stage={n} writing={writing} faults={faults} onChange={change} />
          ))}
        </div>
        <AddStage terms={first} onChange={change} />
        {others.length > 0 && <OtherFaults faults={others} />}
        {save.data?.length === 1 && save.data[0]?.problem !== undefined && (
          <p className="rounded-md border border-bad/40 bg-bad-soft px-3 py-2 text-13 text-bad">
            {save.data[0].problem}
          </p>
        )}
        <div className="sticky bottom-0 z-10 -mx-4 flex flex-wrap items-center gap-2 border-t border-line bg-paper px-4 py-3 enlarged:-mx-2 enlarged:px-2 low:static">
          <Button type="submit" busy={save.isPending}>
            {many ? `Publish ${family.length} Programmes` : 'Publish'}
          </Button>
          <Button look="secondary" busy={save.isPending} onClick={() => check() && submit(false)}>
            {many ? 'Save Drafts' : 'Save Draft'}
          </Button>
          {isSubmitted && (!writs || jsonProblem !== undefined) && (
            <p role="status" className="text-13 text-bad">
              Please fill in what is marked red first.
            </p>
          )}
        </div>
      </form>
      {isAsked && writs && (
        <AlertDialog
          title={many ? `Publish ${family.length} programmes` : `Publish ${writs[0]?.terms.name ?? ''}`}
          description={`${many ? 'They are' : 'It is'} for new enrolments from now on, and what is published never changes. Where traders are enrolled already, you see first what would become of them.`}
          onClose={() => setIsAsked(false)}
          action={{ label: 'Publish', look: 'primary', busy: save.isPending, onClick: () => submit(true) }}
        />
      )}
    </>
  )
}

const challengeNames: Readonly<Record<Challenge, string>> = {
  'two-step': 'Two phases, then funded',
  'one-step': 'One phase, then funded',
}

/** Side by side on a desktop. */
function stageGrid(count: number): string {
  const columns = count === 1 ? '' : count === 2 || count === 4 ? 'lg:grid-cols-2' : 'lg:grid-cols-3'
  return `grid items-start gap-6 ${columns}`
}

interface Read {
  /** Undefined where they have a fault. */
  readonly terms: Terms | undefined
  readonly faults: ReadonlyMap<string, string>
}

function termsOf(document: JsonObject): Read {
  const { data, error } = TermsGiven.safeParse(document)
  return { terms: data, faults: error ? faultsOf(error) : new Map() }
}

/** What is saved; undefined while something has a fault. */
function writsOf(family: Family, read: readonly Read[]): Writ[] | undefined {
  const writs = family.flatMap(({ programme }, n) => {
    const terms = read[n]?.terms
    return terms ? [{ terms, programme }] : []
  })
  return writs.length === family.length ? writs : undefined
}

/** The family after some were saved: those are drafts now, and what was published is no longer written. */
function afterwards(family: Family, outcomes: readonly Outcome[]): Family {
  const members = family.flatMap((member, n) => {
    const { drafted, state } = outcomes[n] ?? { state: 'failed' }
    if (state === 'published') return []
    return [drafted ? { ...member, programme: { id: drafted.id, draft: drafted.version } } : member]
  })
  const [first, ...others] = members
  return first ? [first, ...others] : family
}

function familyOf(text: string): Family | undefined {
  try {
    const [first, ...others] = keptFamily.parse(JSON.parse(text))
    return [first, ...others]
  } catch {
    return undefined
  }
}

/** Whether a path leads to this place or into it. */
function isWithin(path: string, place: string): boolean {
  return path === place || place.startsWith(`${path}.`) || place.startsWith(`${path}[`)
}

type Fault = readonly [place: string, message: string]

/** The shown faults that have no blank of their own. */
function otherFaults(terms: JsonObject, all: ReadonlyMap<string, string>, shown: ReadonlySet<string>): Fault[] {
  const blanks = blankPaths(terms)
  return [...all].filter(([place]) => shown.has(place) && !blanks.some((path) => isWithin(path, place)))
}

function OtherFaults({ faults }: { readonly faults: readonly Fault[] }) {
  return (
    <section
      role="alert"
      aria-label="Faults in the JSON"
      className="rounded-md border border-bad/40 bg-bad-soft px-4 py-3"
    >
      <h2 className="text-14 font-semibold">Only the JSON shows these</h2>
      <ul className="mt-1 flex flex-col gap-1 text-13 text-bad">
        {faults.map(([place, message]) => (
          <li key={place}>
            <code className="font-mono">{place === '' ? 'document' : place}</code>
            <span>{`: ${message}`}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface JsonCardProps {
  /** Of the programme whose document it is, where there are several. */
  readonly name: string | undefined
  readonly terms: JsonObject
  readonly problem: string | undefined
  readonly onChange: (terms: JsonObject) => void
  readonly onProblem: (problem: string) => void
}

/** The same document as JSON: each follows the other. It is outside the form, which keeps what it says. */
function JsonCard({ name, terms, problem, onChange, onProblem }: JsonCardProps) {
  const [typed, setTyped] = useState<string>()
  return (
    <Card className="mb-6">
      <TextArea
        label={name === undefined ? 'Terms as JSON' : `Terms of ${name} as JSON`}
        hint="The format is described in docs/rules.md. The sentences follow what you write here, and the other way round."
        error={problem}
        rows={20}
        spellCheck={false}
        autoComplete="off"
        value={typed ?? JSON.stringify(terms, null, 2)}
        onChange={({ target }) => {
          setTyped(target.value)
          const document = documentOf(target.value)
          if (typeof document === 'string') onProblem(document)
          else onChange(document)
        }}
        onBlur={() => problem === undefined && setTyped(undefined)}
      />
    </Card>
  )
}

/** The document of a text, or why it is none. */
function documentOf(text: string): JsonObject | string {
  try {
    return jsonObject.safeParse(JSON.parse(text)).data ?? 'A programme begins with { and ends with }.'
  } catch (error) {
    return `This cannot be read as JSON yet: ${error instanceof Error ? error.message : String(error)}`
  }
}
