import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FilePlus } from 'lucide-react'
import { useState } from 'react'
import type { ListedProgramme } from '#services/programmes/programmes/programme-api.ts'
import { presets, presetTerms } from '#services/programmes/programmes/presets.ts'
import { RoleNotice, useMay } from '@/features/frame/access.tsx'
import { Button } from '@/ui/button.tsx'
import type { Column } from '@/ui/data-table.tsx'
import { TextLink } from '@/ui/link.tsx'
import { QueryTable } from '@/lists/query-table.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { FirmOffersSection } from './firm-offers-section.tsx'
import { ProgrammeEditor } from './programme-editor.tsx'
import { draftProgramme, programmesQuery } from './programme-queries.ts'
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

/** The programmes of the firm. */
export function ProgrammesPage() {
  const programmes = useQuery(programmesQuery)
  const mayPublish = useMay('publish-programmes')
  const navigate = useNavigate()
  const [isNew, setIsNew] = useState(false)
  return (
    <>
      <PageHeader
        title="Programmes"
        action={
          mayPublish && (
            <Button onClick={() => setIsNew(true)}>
              <FilePlus size={16} aria-hidden />
              New Programme
            </Button>
          )
        }
      >
        The terms that traders enrol in. A published version never changes.
      </PageHeader>
      <RoleNotice />
      <QueryTable
        label="Programmes"
        columns={columns}
        rows={programmes.data}
        rowId={programmeId}
        query={programmes}
        failure="The programmes could not be loaded"
        empty={<EmptyState title="No programmes">Draft the first one.</EmptyState>}
      />
      <FirmOffersSection />
      {isNew && (
        <ProgrammeEditor
          title="New Programme"
          initial={{ ...presetTerms('two-step', 100_000), name: '' }}
          presets={presets}
          change={draftProgramme}
          inputOf={(terms) => terms}
          onSaved={({ id }) => navigate({ to: '/admin/programmes/$id', params: { id }, ignoreBlocker: true })}
          onClose={() => setIsNew(false)}
        />
      )}
    </>
  )
}
