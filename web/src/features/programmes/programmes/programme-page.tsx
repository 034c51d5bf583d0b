import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { ListedProgramme, ProgrammeVersionAnswer } from '#services/programmes/programmes/programme-api.ts'
import { RoleNotice, useMay } from '@/features/frame/access.tsx'
import { staffQuery } from '@/features/identity/staff/staff-queries.ts'
import { counted, formatCount } from '@/format/counts.ts'
import { Button } from '@/ui/button.tsx'
import { Card, DescriptionList } from '@/ui/card.tsx'
import { Select } from '@/ui/field.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { Loaded, EmptyState, ErrorState, LoadingLines } from '@/ui/states.tsx'
import { CopyableId, DateText, ShortHash } from '@/ui/text.tsx'
import { ButtonLink } from '@/ui/link.tsx'
import { programmesQuery, programmeVersionQuery, publishVersion, retireVersion } from './programme-queries.ts'
import { publishUnseen } from './publication.ts'
import { TermsInWordsView } from './terms-in-words-view.tsx'
import { VersionBadge } from './version-badge.tsx'
import { WhatIfCard } from './what-if.tsx'
import { ChangeDialog } from '@/form/form-dialog.tsx'

const route = getRouteApi('/admin/programmes/$id')

/** A programme with its versions: what a version says, what it changes, and what becomes of a draft. */
export function ProgrammePage() {
  const { id } = route.useParams()
  const programmes = useQuery(programmesQuery)
  const programme = programmes.data?.find((each) => each.id === id)
  if (programme) return <Programme programme={programme} />
  return (
    <>
      <PageHeader title="Programme" />
      {programmes.isError ? (
        <ErrorState title="The programme could not be loaded" error={programmes.error} onRetry={programmes.refetch} />
      ) : programmes.data ? (
        <EmptyState title="There is no such programme">It may be another address than you meant.</EmptyState>
      ) : (
        <LoadingLines lines={6} label="Loading the programme" />
      )}
    </>
  )
}

function Programme({ programme: { id, name, versions } }: { readonly programme: ListedProgramme }) {
  const { version: chosen } = route.useSearch()
  const navigate = route.useNavigate()
  const number = versions.some(({ version }) => String(version) === chosen) ? Number(chosen) : versions.length
  const version = useQuery(programmeVersionQuery(id, number))
  const loading = <LoadingLines lines={10} label="Loading the terms" />
  return (
    <>
      <PageHeader title={name} action={version.data && <Actions name={name} version={version.data} />}>
        {counted(versions.length, 'version')}.
      </PageHeader>
      <RoleNotice />
      {versions.length > 1 && (
        <Select
          label="Version"
          className="mb-6 max-w-xs"
          options={versions.toReversed().map(({ version: each, state }) => ({
            value: String(each),
            label: `Version ${each}, ${state}`,
          }))}
          value={String(number)}
          onChange={({ target }) => void navigate({ search: { version: target.value }, replace: true })}
        />
      )}
      <Loaded query={version} failure="The version could not be loaded" loading={loading}>
        {(found) => <Version key={`${id} ${number}`} version={found} />}
      </Loaded>
    </>
  )
}

/** By name, where the reader may see who the members of staff are. */
function Publisher({ id }: { readonly id: string }) {
  const { data } = useQuery({ ...staffQuery, enabled: useMay('see-staff') && id !== 'system' })
  if (id === 'system') return <>The system</>
  const name = data?.members.find((member) => member.id === id)?.name
  return name === undefined ? <CopyableId id={id} of="the member of staff" /> : <>{name}</>
}

function Version({ version }: { readonly version: ProgrammeVersionAnswer }) {
  const { state, hash, words, changes, publishedAt, publishedBy } = version
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[2fr_1fr]">
      <Card title="Terms" action={<VersionBadge state={state} />}>
        <TermsInWordsView words={words} />
      </Card>
      <div className="flex min-w-0 flex-col gap-6">
        <Card title="Record">
          <DescriptionList
            items={[
              { name: 'Version', value: String(version.version) },
              ...(publishedAt ? [{ name: 'Published', value: <DateText at={publishedAt} how="exact" /> }] : []),
              ...(publishedBy ? [{ name: 'By', value: <Publisher id={publishedBy} /> }] : []),
              { name: 'SHA-256', value: <ShortHash hash={hash} of="the terms" /> },
            ]}
          />
        </Card>
        {changes && <Changes changes={changes} since={version.version - 1} />}
      </div>
      {state === 'draft' && (
        <div className="min-w-0 lg:col-span-2">
          <WhatIfCard version={version} />
        </div>
      )}
    </div>
  )
}

interface ChangesProps {
  readonly changes: NonNullable<ProgrammeVersionAnswer['changes']>
  /** The number of the version before. */
  readonly since: number
}

function Changes({ changes, since }: ChangesProps) {
  return (
    <Card title={`Changes since version ${since}`}>
      {changes.length === 0 && <p className="text-13 text-muted">The terms are the same.</p>}
      <ul className="flex flex-col gap-4 text-13">
        {changes.map(({ term, before: old, after }) => (
          <li key={term}>
            <p className="font-medium">{term}</p>
            {old !== null && (
              <p className="text-muted">
                Before: <del>{old}</del>
              </p>
            )}
            <p>{after === null ? 'Dropped' : <>Now: {after}</>}</p>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Returns the result of the what-if, for those who publish. */
function seenText({ whatIf }: ProgrammeVersionAnswer): string {
  if (!whatIf || whatIf.accounts === 0) return ''
  return ` ${formatCount(whatIf.differences)} of ${formatCount(whatIf.accounts)} accounts would stand differently under it.`
}

type Opened = 'publish' | 'try' | 'retire'

function Actions({ name, version }: { readonly name: string; readonly version: ProgrammeVersionAnswer }) {
  const { id, state, hash } = version
  const mayPublish = useMay('publish-programmes')
  const [opened, setOpened] = useState<Opened>()
  if (!mayPublish) return null
  const close = () => setOpened(undefined)
  const named = { id, version: version.version, name }
  const isTried = version.whatIf?.hash === hash && !version.isTrying
  const edit = (look: 'primary' | 'secondary', label: string) => (
    <ButtonLink look={look} to="/admin/programmes/edit" search={{ ids: id, version: String(version.version) }}>
      {label}
    </ButtonLink>
  )
  return (
    <>
      {state === 'draft' ? (
        <>
          {edit('secondary', 'Edit Draft')}
          <Button busy={version.isTrying} onClick={() => setOpened(isTried ? 'publish' : 'try')}>
            Publish
          </Button>
        </>
      ) : (
        <>
          {state === 'published' && (
            <Button look="secondary" onClick={() => setOpened('retire')}>
              Retire
            </Button>
          )}
          {edit('primary', 'New Version')}
        </>
      )}
      {opened === 'try' && (
        <ChangeDialog
          change={publishUnseen}
          input={{ ...named, hash }}
          label="Publish"
          look="primary"
          onClose={close}
          title={`Publish version ${version.version}`}
          description="It is for new enrolments from now on, and never changes. Where traders are enrolled already, you see first what would become of them."
        />
      )}
      {opened === 'publish' && (
        <ChangeDialog
          change={publishVersion}
          input={{ ...named, hash }}
          label="Publish"
          onClose={close}
          title={`Publish version ${version.version}`}
          description={`It is for new enrolments from now on, and never changes. Accounts of earlier versions keep their terms.${seenText(version)}`}
        />
      )}
      {opened === 'retire' && (
        <ChangeDialog
          change={retireVersion}
          input={named}
          label="Retire"
          onClose={close}
          title={`Retire version ${version.version}`}
          description="Nobody enrols in it any more. Accounts under it keep their terms."
        />
      )}
    </>
  )
}
