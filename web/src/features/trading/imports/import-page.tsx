import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { ImportAccount, ImportRow, StatementImport } from '#services/trading/imports/import-api.ts'
import {
  type ImportOutcome,
  importOutcomeLabels,
  importOutcomes,
  importOutcomeTones,
} from '#services/trading/imports/import-outcome-vocabulary.ts'
import {
  conflictDecisionLabels,
  importFieldLabels,
  importKindLabels,
  isImportField,
} from '#services/trading/imports/import-vocabulary.ts'
import { RoleNotice, useMay } from '@/features/frame/access.tsx'
import { counted, formatCount } from '@/format/counts.ts'
import { formatMoney } from '@/format/money.ts'
import { QueryTable } from '@/lists/query-table.tsx'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { Card, DescriptionList } from '@/ui/card.tsx'
import type { Column } from '@/ui/data-table.tsx'
import { Select } from '@/ui/field.tsx'
import { TextLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState, ErrorState, LoadingLines } from '@/ui/states.tsx'
import { DateText, Result, ShortHash } from '@/ui/text.tsx'
import { Conflicts } from './import-conflicts.tsx'
import { confirmImport, importAccountsQuery, importQuery, importRowsQuery, importsQuery } from './import-queries.ts'
import { ImportStateBadge } from './imports-page.tsx'
import { fileOf } from './read-files.ts'
import { ReasonDialog } from './reason-dialog.tsx'
import { StatementDialog } from './statement-dialog.tsx'

const route = getRouteApi('/admin/imports/$id')

/** An import: what each row does, or did. */
export function ImportPage(): ReactNode {
  const { id } = route.useParams()
  const found = useQuery(importQuery(id))
  if (found.data) return <Import key={id} found={found.data} />
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

/** A preview without new rows. A decided conflict may have recorded a correction, so nothing is said to be unrecorded. */
function nothingNew({ counts, conflictsDecided }: StatementImport): string {
  if (counts.conflict === 0) return 'Nothing is recorded, and there is nothing new to record.'
  return conflictsDecided < counts.conflict
    ? 'There is nothing new to record, only conflicts to decide.'
    : 'The conflicts are decided, and there is nothing new to record.'
}

function Import({ found }: { readonly found: StatementImport }) {
  const { id, state, counts } = found
  const mayImport = useMay('import-statements')
  const navigate = route.useNavigate()
  const change = useMutation(confirmImport)
  const [open, setOpen] = useState<'again' | 'disagreement'>()
  const earlier = useQuery({ ...importsQuery, enabled: open === 'again' })
  const disagreeing = found.checks.filter(({ agrees }) => !agrees)
  const news = counts.recorded + counts.transfer
  const isPreview = state === 'preview'
  const isIncomplete = isPreview && counts.refused > 0
  const record = () => (disagreeing.length > 0 ? setOpen('disagreement') : change.mutate({ id }))
  return (
    <>
      <PageHeader
        title="Import"
        action={
          mayImport && (
            <>
              {(isPreview || state === 'lost') && (
                // Who records now leaves out the rows at fault.
                <Button look={isIncomplete ? 'primary' : 'secondary'} onClick={() => setOpen('again')}>
                  Read Again
                </Button>
              )}
              {isPreview && news > 0 && (
                <Button look={isIncomplete ? 'secondary' : 'primary'} busy={change.isPending} onClick={record}>
                  Record {counted(news, 'Row')}
                </Button>
              )}
            </>
          )
        }
      >
        {isPreview && news === 0 ? nothingNew(found) : says[state]} <TextLink to="/admin/imports">All imports</TextLink>
      </PageHeader>
      <RoleNotice />
      {found.says !== '' && <p className="mb-4 text-16 [overflow-wrap:anywhere]">{found.says}</p>}
      <Warnings found={found} />
      {counts.conflict > 0 && <Conflicts found={found} mayDecide={mayImport} />}
      <Accounts id={id} isDone={state === 'done'} />
      {counts.transfer > 0 && <LedgerRows id={id} />}
      <Rows id={id} state={state} />
      <Facts found={found} />
      {open === 'again' && (
        <StatementDialog
          earlier={earlier.data ?? []}
          again={{ found, file: fileOf(id) }}
          onRead={(next) => {
            setOpen(undefined)
            void navigate({ to: '/admin/imports/$id', params: { id: next }, ignoreBlocker: true })
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open === 'disagreement' && (
        <ReasonDialog
          title="Record a File That Disagrees With Itself"
          description="A file that was changed after its export disagrees with itself. The reason is kept with the import, and auditors see it."
          submit={`Record ${counted(news, 'Row')}`}
          longest={1_000}
          change={change}
          onReason={(reason) =>
            change.mutate({ id, acceptDisagreement: reason }, { onSuccess: () => setOpen(undefined) })
          }
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  )
}

/** What a person should look at before anything is recorded. */
function Warnings({ found: { checks, hints, counts, acceptedDisagreement } }: { readonly found: StatementImport }) {
  const disagreeing = checks.filter(({ agrees }) => !agrees)
  if (disagreeing.length === 0 && hints.length === 0 && counts.refused === 0) return null
  return (
    <Card title="Look at this first" className="mb-6">
      <ul className="flex list-disc flex-col gap-1 pl-5">
        {disagreeing.map(({ name, line, stated, computed }) => (
          <li key={`${name} ${line ?? ''}`} className="text-bad">
            The file disagrees with itself: {name}
            {line !== undefined && ` in line ${line}`}
            {stated !== null && ` is ${stated}`}
            {computed !== null && `, computed ${computed}`}
          </li>
        ))}
        {hints.map((hint) => (
          <li key={hint}>{hint}</li>
        ))}
        {counts.refused > 0 && (
          <li>
            {counted(counts.refused, 'row')} cannot be recorded; the table says why. Read the file again with other
            answers, or record the others without {counts.refused === 1 ? 'it' : 'them'}.
          </li>
        )}
        {acceptedDisagreement !== null && <li>It was recorded all the same: {acceptedDisagreement}</li>}
      </ul>
    </Card>
  )
}

const accountColumns: readonly Column<ImportAccount>[] = [
  {
    header: 'Account',
    cell: ({ account, login, trader }) => (
      <>
        {login ?? account}
        {trader !== null && <span className="block text-12 text-muted">{trader}</span>}
      </>
    ),
  },
  { header: 'First', cell: ({ first }) => <DateText at={first} how="exact" />, hiddenWhenNarrow: true },
  { header: 'Last', cell: ({ last }) => <DateText at={last} how="exact" />, hiddenWhenNarrow: true },
  { header: 'New trades', align: 'right', cell: ({ trades }) => formatCount(trades) },
  { header: 'Net', align: 'right', cell: ({ net }) => <Result amount={net} /> },
  { header: 'Ledger rows', align: 'right', cell: ({ transfers }) => formatMoney(transfers) },
  { header: 'Balance before', align: 'right', cell: ({ balanceBefore }) => formatMoney(balanceBefore) },
  { header: 'Balance after', align: 'right', cell: ({ balanceAfter }) => formatMoney(balanceAfter) },
]

const accountOf = ({ account }: ImportAccount) => account

function Accounts({ id, isDone }: { readonly id: string; readonly isDone: boolean }) {
  const accounts = useQuery(importAccountsQuery(id))
  const { items, total = 0 } = accounts.data ?? {}
  // Imports of an earlier release have none.
  if (items?.length === 0) return null
  return (
    <section className="mb-6">
      <h2 className="mb-3 text-16 font-semibold">
        {isDone ? 'What the preview said of each account' : 'What it brings each account'}
      </h2>
      <QueryTable
        label="Accounts"
        columns={accountColumns}
        rows={items}
        rowId={accountOf}
        expectedRows={1}
        query={accounts}
        failure="The accounts could not be loaded"
        empty={null}
      />
      <First shown={items?.length ?? 0} total={total} what="accounts" />
    </section>
  )
}

function First({ shown, total, what }: { readonly shown: number; readonly total: number; readonly what: string }) {
  if (total <= shown) return null
  return (
    <p className="mt-3 text-13 text-muted">
      The first {formatCount(shown)} of {formatCount(total)} {what}.
    </p>
  )
}

/** Before an import is done, what would become of its rows. */
function outcomeLabels(state: StatementImport['state']): Readonly<Record<ImportOutcome, string>> {
  return state === 'done' ? importOutcomeLabels : { ...importOutcomeLabels, recorded: 'To record' }
}

const what: Column<ImportRow> = { header: 'What', cell: ({ row }) => row && whatOf(row) }
const when: Column<ImportRow> = { header: 'When', cell: ({ row }) => row && whenOf(row) }
const amount: Column<ImportRow> = { header: 'Net', align: 'right', cell: ({ row }) => row && amountOf(row) }

function columnsOf(labels: Readonly<Record<ImportOutcome, string>>): readonly Column<ImportRow>[] {
  return [
    { header: 'Line', align: 'right', cell: ({ line }) => line },
    {
      header: 'Outcome',
      cell: ({ outcome }) => <Badge tone={importOutcomeTones[outcome]}>{labels[outcome]}</Badge>,
    },
    { header: 'Login', cell: ({ row }) => (row && 'login' in row ? row.login : null), hiddenWhenNarrow: true },
    when,
    what,
    amount,
    {
      header: 'Why',
      cell: ({ reason, taken }) =>
        [reasonText(reason), taken && conflictDecisionLabels[taken]].filter(Boolean).join('. '),
    },
  ]
}

const columns = { done: columnsOf(outcomeLabels('done')), before: columnsOf(outcomeLabels('preview')) }
const ledgerColumns: readonly Column<ImportRow>[] = [
  { header: 'Line', align: 'right', cell: ({ line }) => line },
  when,
  what,
  { ...amount, header: 'Amount' },
]

type Row = NonNullable<ImportRow['row']>

function whatOf(row: Row): string {
  switch (row.row) {
    case 'trade':
      return [row.symbol, row.side, row.volume, `(${row.id})`].filter(Boolean).join(' ')
    case 'transfer':
      return `${row.why} (${row.id})`
    case 'day':
      return `Balance ${formatMoney(row.balance)}, equity ${formatMoney(row.equity)}`
    case 'skipped':
    case 'fault':
      return ''
  }
}

function whenOf(row: Row): ReactNode {
  if (row.row === 'day') return <DateText at={row.date} how="date" />
  return 'at' in row && <DateText at={row.at} how="exact" />
}

function amountOf(row: Row): ReactNode {
  if (row.row === 'trade') return <Result amount={row.profit} />
  return row.row === 'transfer' && formatMoney(row.amount)
}

/** A reason names the field as calls do: "openedAt: …". The page names it as the form does. */
function reasonText(reason: string | null): string {
  const [, field = '', rest = ''] = /^(\w+): (.*)$/s.exec(reason ?? '') ?? []
  return isImportField(field) ? `${importFieldLabels[field]}: ${rest}` : (reason ?? '')
}

const indexOf = ({ index }: ImportRow) => String(index)

/** Deposits and withdrawals are no trading: they stand apart. */
function LedgerRows({ id }: { readonly id: string }) {
  const rows = useQuery(importRowsQuery(id, 'transfer'))
  const { items, total = 0 } = rows.data ?? {}
  return (
    <section className="mb-6">
      <h2 className="mb-3 text-16 font-semibold">Ledger rows</h2>
      <QueryTable
        label="Ledger rows"
        columns={ledgerColumns}
        rows={items}
        rowId={indexOf}
        expectedRows={1}
        query={rows}
        failure="The ledger rows could not be loaded"
        empty={null}
      />
      <First shown={items?.length ?? 0} total={total} what="ledger rows" />
    </section>
  )
}

function Rows({ id, state }: Pick<StatementImport, 'id' | 'state'>) {
  const { outcome } = route.useSearch()
  const navigate = route.useNavigate()
  const rows = useQuery(importRowsQuery(id, outcome))
  return (
    <section className="mb-6">
      <Select
        label="Outcome"
        className="mb-4 max-w-60"
        options={[
          { value: '', label: 'All rows' },
          ...importOutcomes.map((value) => ({ value, label: outcomeLabels(state)[value] })),
        ]}
        value={outcome ?? ''}
        onChange={({ target }) =>
          void navigate({
            search: { outcome: importOutcomes.find((each) => each === target.value) },
            replace: true,
            resetScroll: false,
          })
        }
      />
      <QueryTable
        label="Rows"
        columns={state === 'done' ? columns.done : columns.before}
        rows={rows.data?.items}
        rowId={indexOf}
        query={rows}
        failure="The rows could not be loaded"
        empty={<EmptyState title="No rows">No row has this outcome.</EmptyState>}
      />
      <First shown={rows.data?.items.length ?? 0} total={rows.data?.total ?? 0} what="rows" />
    </section>
  )
}

function Facts({ found }: { readonly found: StatementImport }) {
  const { state, kind, account, counts, sha256, previewed, confirmed, completedAt, zone } = found
  const at = (when: { readonly at: string; readonly name?: string | null }) => (
    <>
      <DateText at={when.at} how="exact" /> by {when.name}
    </>
  )
  return (
    <Card title="Statement" action={<ImportStateBadge state={state} />}>
      <DescriptionList
        items={[
          { name: 'Rows', value: importKindLabels[kind] },
          ...(account ? [{ name: 'Account', value: account }] : []),
          ...(zone?.name ? [{ name: 'Time zone', value: zone.name }] : []),
          ...importOutcomes.map((outcome) => ({
            name: outcomeLabels(state)[outcome],
            value: formatCount(counts[outcome]),
          })),
          { name: 'Read', value: at(previewed) },
          ...(confirmed ? [{ name: 'Confirmed', value: at(confirmed) }] : []),
          ...(completedAt ? [{ name: 'Ended', value: <DateText at={completedAt} how="exact" /> }] : []),
          { name: 'SHA-256 of the file', value: <ShortHash hash={sha256} of="the file" /> },
        ]}
      />
    </Card>
  )
}
