import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FileUp } from 'lucide-react'
import { useState } from 'react'
import type { StatementImport } from '#services/trading/imports/import-api.ts'
import { importKindLabels, importStateLabels, importStateTones } from '#services/trading/imports/import-vocabulary.ts'
import { RoleNotice, useMay } from '@/features/frame/access.tsx'
import { formatCount } from '@/format/counts.ts'
import { QueryTable } from '@/lists/query-table.tsx'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import type { Column } from '@/ui/data-table.tsx'
import { TextLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'
import { importsQuery } from './import-queries.ts'
import { StatementDialog } from './statement-dialog.tsx'

const columns: readonly Column<StatementImport>[] = [
  {
    header: 'Read',
    cell: ({ id, previewed }) => (
      <TextLink to="/admin/imports/$id" params={{ id }}>
        <DateText at={previewed.at} how="exact" />
      </TextLink>
    ),
  },
  { header: 'Statement', cell: ({ says, kind }) => says || importKindLabels[kind] },
  { header: 'State', cell: ({ state }) => <ImportStateBadge state={state} /> },
  {
    header: 'Recorded',
    align: 'right',
    cell: ({ state, counts }) =>
      formatCount(counts.recorded + counts.transfer) + (state === 'done' ? '' : ' to record'),
  },
  { header: 'Duplicates', align: 'right', cell: ({ counts }) => formatCount(counts.duplicate) },
  { header: 'Refused', align: 'right', cell: ({ counts }) => formatCount(counts.refused) },
  { header: 'Conflicts', align: 'right', cell: ({ counts }) => formatCount(counts.conflict) },
  { header: 'By', cell: ({ previewed }) => previewed.name ?? '' },
]

const importId = ({ id }: StatementImport) => id

export function ImportStateBadge({ state }: Pick<StatementImport, 'state'>) {
  return <Badge tone={importStateTones[state]}>{importStateLabels[state]}</Badge>
}

/** The imports of statements, and the way to a new one. */
export function ImportsPage() {
  const imports = useQuery(importsQuery)
  const mayImport = useMay('import-statements')
  const navigate = useNavigate()
  const [isNew, setIsNew] = useState(false)
  return (
    <>
      <PageHeader
        title="Imports"
        action={
          mayImport && (
            <Button onClick={() => setIsNew(true)}>
              <FileUp size={16} aria-hidden />
              Import Statement
            </Button>
          )
        }
      >
        Statements of trading platforms. Nothing is recorded before you have seen what each row does.
      </PageHeader>
      <RoleNotice />
      <QueryTable
        label="Imports"
        columns={columns}
        rows={imports.data}
        rowId={importId}
        query={imports}
        failure="The imports could not be loaded"
        empty={<EmptyState title="No imports">Import the first statement.</EmptyState>}
      />
      {isNew && (
        <StatementDialog
          earlier={imports.data ?? []}
          onRead={(id) => navigate({ to: '/admin/imports/$id', params: { id }, ignoreBlocker: true })}
          onClose={() => setIsNew(false)}
        />
      )}
    </>
  )
}
