import { useQuery, useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FilePlus, Landmark, Upload } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { optionsOf } from '#services/framework/api/options.ts'
import type { ListedBatch, AnswerRow } from '#services/payments/batches/batch-api.ts'
import {
  batchFormatLabels,
  batchStateLabels,
  batchStates,
  batchStateTones,
  type AnswerFormat,
  answerFormatLabels,
  answerFormats,
  answerOutcomeLabels,
} from '#services/payments/batches/batch-vocabulary.ts'
import { RoleNotice, useMay } from '@/features/frame/access.tsx'
import { FormDialog } from '@/form/form-dialog.tsx'
import { formatCount } from '@/format/counts.ts'
import { formatAmount } from '@/format/money.ts'
import { Filter } from '@/lists/list-controls.tsx'
import { ListTable } from '@/lists/list-table.tsx'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { type Column, DataTable } from '@/ui/data-table.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { Select, TextInput } from '@/ui/field.tsx'
import { TextLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'
import { batchesQuery, batchPageOf, recordAnswers } from './batch-queries.ts'
import { FirmAccountDialog } from './firm-account-dialog.tsx'
import { NewBatchDialog } from './new-batch-dialog.tsx'

const route = getRouteApi('/admin/payouts_/batches/')

const columns: readonly Column<ListedBatch>[] = [
  {
    header: 'Made',
    cell: ({ id, stamps }) => (
      <TextLink to="/admin/payouts/batches/$id" params={{ id }}>
        <DateText at={stamps.made.at} how="exact" />
      </TextLink>
    ),
  },
  { header: 'By', cell: ({ stamps }) => stamps.made.name ?? '' },
  { header: 'Format', cell: ({ format }) => batchFormatLabels[format] },
  { header: 'Payments', align: 'right', cell: ({ count }) => formatCount(count) },
  { header: 'Total', align: 'right', cell: ({ total, currency }) => formatAmount(total, currency) },
  { header: 'State', cell: ({ state }) => <BatchStateBadge state={state} /> },
]

const states = optionsOf(batchStates, batchStateLabels)
const batchId = ({ id }: ListedBatch) => id

/** The batches of payments: what leaves the firm in one file. */
export function BatchesPage() {
  const batches = useQuery(batchesQuery(batchPageOf(route.useSearch())))
  const [mayDecide, mayManage] = [useMay('decide-payouts'), useMay('manage-payments')]
  const [opened, setOpened] = useState<'batch' | 'answers' | 'account'>()
  const close = () => setOpened(undefined)
  return (
    <>
      <PageHeader
        title="Batches"
        action={
          <div className="flex flex-wrap gap-2">
            {mayManage && (
              <Button look="secondary" onClick={() => setOpened('account')}>
                <Landmark size={16} aria-hidden />
                Firm&apos;s Account
              </Button>
            )}
            {mayDecide && (
              <>
                <Button look="secondary" onClick={() => setOpened('answers')}>
                  <Upload size={16} aria-hidden />
                  Upload Answers
                </Button>
                <Button onClick={() => setOpened('batch')}>
                  <FilePlus size={16} aria-hidden />
                  New Batch
                </Button>
              </>
            )}
          </div>
        }
      >
        Approved payouts of one method that leave in one file. <TextLink to="/admin/payouts">All payouts</TextLink>
      </PageHeader>
      <RoleNotice />
      <search className="mb-4 grid grid-cols-2 items-end gap-3 md:grid-cols-4 lg:grid-cols-5">
        <Filter name="status" label="State" options={states} />
      </search>
      <ListTable
        label="Batches"
        columns={columns}
        list={batches}
        rowId={batchId}
        adjustable
        empty={<EmptyState title="No batches">Collect approved payouts in a new one.</EmptyState>}
      />
      {opened === 'batch' && <NewBatchDialog onClose={close} />}
      {opened === 'answers' && <AnswersDialog onClose={close} />}
      {opened === 'account' && <FirmAccountDialog onClose={close} />}
    </>
  )
}

/** The state of a batch. */
export function BatchStateBadge({ state }: Pick<ListedBatch, 'state'>) {
  return <Badge tone={batchStateTones[state]}>{batchStateLabels[state]}</Badge>
}

/** Uploads a bank's answers, then shows what became of each. */
function AnswersDialog({ onClose }: { readonly onClose: () => void }) {
  const [format, setFormat] = useState<AnswerFormat>('camt.053')
  const [file, setFile] = useState<File>()
  const change = useMutation(recordAnswers)
  if (change.data) return <Outcomes rows={change.data} onClose={onClose} />
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (file) change.mutate({ format, file })
  }
  return (
    <FormDialog
      title="Upload Answers"
      description="An unknown reference or another amount changes nothing and is listed. The same file twice changes nothing."
      submit="Record"
      change={change}
      disabled={!file}
      onSubmit={submit}
      onClose={onClose}
    >
      <Select
        label="Format"
        options={optionsOf(answerFormats, answerFormatLabels)}
        value={format}
        onChange={({ target }) => setFormat(answerFormats.find((each) => each === target.value) ?? format)}
      />
      <TextInput
        label="File"
        type="file"
        hint="At most 4 MB. A table begins with reference,amount,currency,state,reason"
        onChange={({ target }) => setFile(target.files?.[0])}
      />
    </FormDialog>
  )
}

const answerColumns: readonly Column<AnswerRow & { readonly key: string }>[] = [
  { header: 'Reference', cell: ({ reference }) => <span className="[overflow-wrap:anywhere]">{reference}</span> },
  {
    header: 'Outcome',
    cell: ({ outcome }) => (
      <Badge tone={outcome === 'recorded' ? 'good' : outcome === 'duplicate' ? 'plain' : 'bad'}>
        {answerOutcomeLabels[outcome]}
      </Badge>
    ),
  },
  { header: 'Why', cell: ({ reason }) => reason ?? '' },
]

function needsSomebody({ outcome }: AnswerRow): boolean {
  return outcome !== 'recorded' && outcome !== 'duplicate'
}

const keyOf = ({ key }: { readonly key: string }) => key

/** Shows the rows that need somebody first. Escape does not close it. */
function Outcomes({ rows, onClose }: { readonly rows: readonly AnswerRow[]; readonly onClose: () => void }) {
  const keyed = rows.map((row) => ({ ...row, key: `${row.index} ${row.reference}` }))
  const lookedAt = keyed.filter(needsSomebody)
  return (
    <Dialog
      title="What Became of the Answers"
      description={
        lookedAt.length === 0
          ? 'All is recorded.'
          : `${formatCount(lookedAt.length)} of ${formatCount(keyed.length)} changed nothing and ${lookedAt.length === 1 ? 'needs' : 'need'} a look.`
      }
      width="large"
      stays={lookedAt.length > 0}
      onClose={onClose}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <DataTable
        label="Answers"
        columns={answerColumns}
        rows={[...lookedAt, ...keyed.filter((row) => !needsSomebody(row))]}
        rowId={keyOf}
        error={false}
        empty={<EmptyState title="No answers">The file says nothing about payments.</EmptyState>}
      />
    </Dialog>
  )
}
