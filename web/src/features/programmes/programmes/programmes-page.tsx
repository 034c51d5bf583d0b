import { useQuery } from '@tanstack/react-query'
import { FilePlus } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { ListedProgramme } from '#services/programmes/programmes/programme-api.ts'
import { RoleNotice, useMay } from '@/features/frame/access.tsx'
import { counted } from '@/format/counts.ts'
import type { Column } from '@/ui/data-table.tsx'
import { Button } from '@/ui/button.tsx'
import { ButtonLink, TextLink } from '@/ui/link.tsx'
import { QueryTable } from '@/lists/query-table.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { FirmOffersSection } from './firm-offers-section.tsx'
import { programmesQuery } from './programme-queries.ts'
import { VersionBadge } from './version-badge.tsx'

const columns: readonly Column<ListedProgramme>[] = [
  {
    header: 'Name',
    cell: ({ id, name }) => (
      <TextLink to="/admin/programmes/$id" params={{ id }}>
        {name}
      </TextLink>
    ),
  },
  {
    header: 'Newest version',
    cell: ({ versions }) => {
      const newest = versions.at(-1)
      return (
        newest && (
          <span className="inline-flex items-center gap-2">
            {newest.version}
            <VersionBadge state={newest.state} />
          </span>
        )
      )
    },
  },
  {
    header: 'For new enrolments',
    cell: ({ versions }) => {
      const offered = versions.findLast(({ state }) => state === 'published')
      return offered ? `Version ${offered.version}` : <span className="text-muted">None</span>
    },
  },
]

const programmeId = ({ id }: ListedProgramme) => id

/** The programmes of the firm. Several are chosen to be changed together. */
export function ProgrammesPage() {
  const programmes = useQuery(programmesQuery)
  const mayPublish = useMay('publish-programmes')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const all = programmes.data ?? []
  const present = all.filter(({ id }) => chosen.includes(id))
  const shown = useMemo(
    () => (mayPublish ? [choiceColumn(chosen, setChosen), ...columns] : columns),
    [chosen, mayPublish],
  )
  return (
    <>
      <PageHeader
        title="Programmes"
        action={
          mayPublish && (
            <ButtonLink to="/admin/programmes/new">
              <FilePlus size={16} aria-hidden />
              New Programme
            </ButtonLink>
          )
        }
      >
        The terms that traders enrol in. A published version never changes. Rules about news judge by the{' '}
        <TextLink to="/admin/calendar">calendar of news</TextLink>.
      </PageHeader>
      <RoleNotice />
      {mayPublish && all.length > 1 && (
        <div
          role="group"
          aria-label="Change several together"
          className="mb-3 flex min-h-9 flex-wrap items-center gap-3 text-13"
        >
          {present.length === 0 ? (
            <p className="text-muted">
              Choose several, for example all sizes of one challenge, to change them together.
            </p>
          ) : (
            <>
              <p role="status">{counted(present.length, 'programme')} chosen.</p>
              <ButtonLink
                look="secondary"
                to="/admin/programmes/edit"
                search={{ ids: present.map(({ id }) => id).join(',') }}
              >
                {present.length === 1 ? 'Change It' : 'Change Together'}
              </ButtonLink>
            </>
          )}
          {families(all).map(([name, ids]) => (
            <Button
              key={name}
              look="quiet"
              aria-pressed={ids.every((id) => chosen.includes(id))}
              onClick={() => setChosen(ids)}
            >
              {`All ${name}`}
            </Button>
          ))}
        </div>
      )}
      <QueryTable
        label="Programmes"
        columns={shown}
        rows={programmes.data}
        rowId={programmeId}
        query={programmes}
        failure="The programmes could not be loaded"
        empty={<EmptyState title="No programmes">Write the first one.</EmptyState>}
      />
      <FirmOffersSection />
    </>
  )
}

function choiceColumn(chosen: readonly string[], choose: (ids: readonly string[]) => void): Column<ListedProgramme> {
  return {
    header: 'Chosen',
    headerHidden: true,
    className: 'w-10',
    cell: ({ id, name }) => (
      <input
        type="checkbox"
        aria-label={`Choose ${name}`}
        className="size-4 accent-accent"
        checked={chosen.includes(id)}
        onChange={({ target }) => choose(target.checked ? [...chosen, id] : chosen.filter((each) => each !== id))}
      />
    ),
  }
}

/** Programmes whose names differ only in their last word, which is their size: 'Two-Step'. */
function families(programmes: readonly ListedProgramme[]): [name: string, ids: string[]][] {
  const found = new Map<string, string[]>()
  for (const { id, name } of programmes) {
    const family = name.replace(/\s+\S*\d\S*$/, '')
    if (family !== name) found.set(family, [...(found.get(family) ?? []), id])
  }
  return [...found].filter(([, ids]) => ids.length > 1)
}
