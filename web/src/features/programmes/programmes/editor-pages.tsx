import { useQueries, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { z } from 'zod'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import type { ListedProgramme, ProgrammeVersionAnswer } from '#services/programmes/programmes/programme-api.ts'
import { useMay } from '@/features/frame/access.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState, ErrorState, LoadingLines } from '@/ui/states.tsx'
import { type Family, type Member, shapeOf } from './family.ts'
import { ProgrammeEditor } from './programme-editor.tsx'
import { programmesQuery, programmeVersionQuery } from './programme-queries.ts'

const jsonObject = z.record(z.string(), z.json())

const newProgramme: Family = [{ terms: { ...jsonObject.parse(presetTerms('two-step', 100_000)), name: '' } }]

/** Writes a new programme. */
export function NewProgrammePage() {
  if (!useMay('publish-programmes')) return <NotAllowed title="New Programme" />
  return (
    <ProgrammeEditor title="New Programme" initial={newProgramme} startsFrom="two-step">
      The terms as traders read them. Fill in the blanks, choose the words, publish.
    </ProgrammeEditor>
  )
}

const editRoute = getRouteApi('/admin/programmes/edit')

/** Writes further versions of one programme or of several together, or goes on with their drafts. */
export function EditProgrammesPage() {
  const { ids = '', version } = editRoute.useSearch()
  const programmes = useQuery(programmesQuery)
  /** As they were when the page opened: it makes further versions itself. */
  const [listed, setListed] = useState<readonly ListedProgramme[]>()
  if (!listed && programmes.data && !programmes.isFetching) setListed(programmes.data)
  if (!useMay('publish-programmes')) return <NotAllowed title={EDIT} />
  if (listed)
    return <ChosenProgrammes key={`${ids} ${version}`} ids={ids.split(',')} version={version} listed={listed} />
  return (
    <>
      <PageHeader title={EDIT} />
      {programmes.isError ? (
        <ErrorState title={FAILURE} error={programmes.error} onRetry={programmes.refetch} />
      ) : (
        <LoadingLines lines={10} label="Loading the terms" />
      )}
    </>
  )
}

const EDIT = 'Change Programmes'
const FAILURE = 'The programmes could not be loaded'

interface ChosenProps {
  readonly ids: readonly string[]
  readonly version: string | undefined
  readonly listed: readonly ListedProgramme[]
}

function ChosenProgrammes({ ids, version, listed }: ChosenProps) {
  const [bases] = useState(() => {
    const chosen = ids.flatMap((id) => listed.filter((each) => each.id === id))
    return chosen.map((programme) => baseOf(programme, chosen.length === 1 ? version : undefined))
  })
  const versions = useQueries({ queries: bases.map(({ id, version: number }) => programmeVersionQuery(id, number)) })
  const failed = versions.find(({ isError, data }) => isError && !data)
  const [first, ...others] = versions.flatMap(({ data }) => (data ? [data] : []))
  const title = bases.length > 1 ? EDIT : bases[0]?.draft ? 'Edit Draft' : 'New Version'
  if (first && others.length === bases.length - 1)
    return <Editor title={title} first={first} others={others} bases={bases} />
  return (
    <>
      <PageHeader title={title} />
      {bases.length === 0 ? (
        <EmptyState title="There is no such programme">Choose one at Programmes.</EmptyState>
      ) : failed ? (
        <ErrorState title={FAILURE} error={failed.error} onRetry={failed.refetch} />
      ) : (
        <LoadingLines lines={10} label="Loading the terms" />
      )}
    </>
  )
}

interface EditorProps {
  readonly title: string
  readonly first: ProgrammeVersionAnswer
  readonly others: readonly ProgrammeVersionAnswer[]
  readonly bases: readonly Base[]
}

function Editor({ title, first, others, bases }: EditorProps) {
  const shape = shapeOf(jsonObject.parse(first.terms))
  const alike = others.filter(({ terms }) => shapeOf(jsonObject.parse(terms)) === shape)
  const different = others.filter((each) => !alike.includes(each))
  const memberOf = ({ id, terms }: ProgrammeVersionAnswer): Member => ({
    terms: jsonObject.parse(terms),
    programme: { id, draft: bases.find((base) => base.id === id)?.draft ?? null },
  })
  const isDraft = bases.length === 1 && bases[0]?.draft !== null
  return (
    <ProgrammeEditor
      title={title}
      initial={[memberOf(first), ...alike.map(memberOf)]}
      notice={
        different.length > 0 && (
          <p role="note" className="mb-4 rounded-md border border-line bg-sunken px-4 py-2 text-13">
            {`Left out, since they have other stages or rules than ${first.terms.name}: ${different.map(({ terms }) => terms.name).join(', ')}.`}
          </p>
        )
      }
    >
      {alike.length > 0
        ? `You see ${first.terms.name}. What you change is changed in all ${alike.length + 1}; what you leave stays as it is in each.`
        : isDraft
          ? 'Nobody enrols in a draft before it is published.'
          : 'For new enrolments: accounts of earlier versions keep their terms.'}
    </ProgrammeEditor>
  )
}

interface Base {
  readonly id: string
  /** The version whose terms are changed. */
  readonly version: number
  /** The number of the draft that is gone on with; null where a further version begins. */
  readonly draft: number | null
}

/** The named version, else the newest: a draft is gone on with, and after a published one comes another. */
function baseOf({ id, versions }: ListedProgramme, named: string | undefined): Base {
  const base = versions.find(({ version }) => String(version) === named) ?? versions.at(-1)
  const version = base?.version ?? 1
  return { id, version, draft: base?.state === 'draft' ? version : null }
}

function NotAllowed({ title }: { readonly title: string }) {
  return (
    <>
      <PageHeader title={title} />
      <EmptyState title="Your role does not allow this">Administrators write programmes.</EmptyState>
    </>
  )
}
