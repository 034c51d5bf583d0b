import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ImportRow, StatementImport } from '#services/trading/imports/import-api.ts'
import { importFieldLabels, importKindLabels, isImportField } from '#services/trading/imports/import-vocabulary.ts'
import { rowOutcomeLabels, rowOutcomes } from '#services/trading/stream/observation-vocabulary.ts'
import { RoleNotice, useMay } from '@/features/frame/access.tsx'
import { counted, formatCount } from '@/format/counts.ts'
import { QueryTable } from '@/lists/query-table.tsx'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { Card, DescriptionList } from '@/ui/card.tsx'
import type { Column } from '@/ui/data-table.tsx'
import { Select } from '@/ui/field.tsx'
import { TextLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState, ErrorState, LoadingLines } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'
import { confirmImport, importQuery, importRowsQuery } from './import-queries.ts'
import { ImportStateBadge } from './imports-page.tsx'

const route = getRouteApi('/admin/imports/$id')

/** An import: what each row does, or did. */
export function ImportPage(): ReactNode {
  const { id } = route.useParams()
  const found = useQuery(importQuery(id))
  if (found.data) return <Import found={found.data} />
  return (
    <>
      <PageHeader title="Import" />
      {found.isError ? (
        <ErrorState title="The import could not be loaded" error={found.error} onRetry={found.refetch} />
      ) : (
        <LoadingLines lines={8} label="Loading the import" />
      )}
    </>
  )
}

const says: Readonly<Record<StatementImport['state'], string>> = {
  preview: 'Nothing is recorded yet.',
  running: 'The rows are being recorded. You can leave this page.',
  done: 'The rows are recorded.',
  lost: 'The rows that were read are gone. Please import the file again.',
}

const NOTHING_NEW = 'Nothing is recorded, and there is nothing new to record.'

function Import({ found }: { readonly found: StatementImport }) {
  const { id, state, kind, account, counts, sha256, previewed, confirmed, completedAt } = found
  const mayImport = useMay('import-statements')
  const change = useMutation(confirmImport)
  return (
    <>
      <PageHeader
        title="Import"
        action={
          state === 'preview' &&
          counts.recorded > 0 &&
          mayImport && (
            <Button busy={change.isPending} onClick={() => change.mutate(id)}>
              Record {counted(counts.recorded, 'Row')}
            </Button>
          )
        }
      >
        {state === 'preview' && counts.recorded === 0 ? NOTHING_NEW : says[state]}{' '}
        <TextLink to="/admin/imports">All imports</TextLink>
      </PageHeader>
      <RoleNotice />
      <Card title="Statement" action={<ImportStateBadge state={state} />} className="mb-6">
        <DescriptionList
          items={[
            { name: 'Rows', value: importKindLabels[kind] },
            ...(account ? [{ name: 'Account', value: account }] : []),
            ...rowOutcomes.map((outcome) => ({
              name: outcomeLabels(state)[outcome],
              value: formatCount(counts[outcome]),
            })),
            {
              name: 'Read',
              value: (
                <>
                  <DateText at={previewed.at} how="exact" /> by {previewed.name}
                </>
              ),
            },
            ...(confirmed
              ? [
                  {
                    name: 'Confirmed',
                    value: (
                      <>
                        <DateText at={confirmed.at} how="exact" /> by {confirmed.name}
                      </>
                    ),
                  },
                ]
              : []),
            ...(completedAt ? [{ name: 'Ended', value: <DateText at={completedAt} how="exact" /> }] : []),
            { name: 'SHA-256 of the file', value: <span className="[overflow-wrap:anywhere]">{sha256}</span> },
          ]}
        />
      </Card>
      <Rows id={id} state={state} />
    </>
  )
}

/** Before an import is done, what would become of its rows. */
function outcomeLabels(state: StatementImport['state']): typeof rowOutcomeLabels {
  return state === 'done' ? rowOutcomeLabels : { ...rowOutcomeLabels, recorded: 'To record' }
}

const tones = { recorded: 'good', duplicate: 'plain', refused: 'bad', conflict: 'bad' } as const

function columnsOf(labels: typeof rowOutcomeLabels): readonly Column<ImportRow>[] {
  return [
    { header: 'Line', align: 'right', cell: ({ line }) => line },
    { header: 'Outcome', cell: ({ outcome }) => <Badge tone={tones[outcome]}>{labels[outcome]}</Badge> },
    { header: 'Why', cell: ({ reason }) => reasonText(reason) },
  ]
}

const columns = { done: columnsOf(outcomeLabels('done')), before: columnsOf(outcomeLabels('preview')) }

/** A reason names the field as calls do: "openedAt: …". The page names it as the form does. */
function reasonText(reason: string | null): string {
  const [, field = '', rest = ''] = /^(\w+): (.*)$/s.exec(reason ?? '') ?? []
  return isImportField(field) ? `${importFieldLabels[field]}: ${rest}` : (reason ?? '')
}

const lineOf = ({ line }: ImportRow) => String(line)

function Rows({ id, state }: Pick<StatementImport, 'id' | 'state'>) {
  const { outcome } = route.useSearch()
  const navigate = route.useNavigate()
  const rows = useQuery(importRowsQuery(id, outcome))
  const total = rows.data?.total ?? 0
  const shown = rows.data?.items.length ?? 0
  return (
    <>
      <Select
        label="Outcome"
        className="mb-4 max-w-60"
        options={[
          { value: '', label: 'All rows' },
          ...rowOutcomes.map((value) => ({ value, label: outcomeLabels(state)[value] })),
        ]}
        value={outcome ?? ''}
        onChange={({ target }) =>
          void navigate({
            search: { outcome: rowOutcomes.find((each) => each === target.value) },
            replace: true,
            resetScroll: false,
          })
        }
      />
      <QueryTable
        label="Rows"
        columns={state === 'done' ? columns.done : columns.before}
        rows={rows.data?.items}
        rowId={lineOf}
        query={rows}
        failure="The rows could not be loaded"
        empty={<EmptyState title="No rows">No row has this outcome.</EmptyState>}
      />
      {total > shown && (
        <p className="mt-3 text-13 text-muted">
          The first {formatCount(shown)} of {formatCount(total)} rows.
        </p>
      )}
    </>
  )
}
