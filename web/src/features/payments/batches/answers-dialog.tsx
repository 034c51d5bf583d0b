import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { AnswerRow } from '#services/payments/batches/batch-api.ts'
import {
  type AnswerFormat,
  answerFormatLabels,
  answerFormats,
  answerOutcomeLabels,
} from '#services/payments/batches/batch-vocabulary.ts'
import { optionsOf } from '#services/framework/api/options.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { formatCount } from '@/format/counts.ts'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { type Column, DataTable } from '@/ui/data-table.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { Select, TextInput } from '@/ui/field.tsx'
import { EmptyState } from '@/ui/states.tsx'
import { recordAnswers } from './batch-queries.ts'

/** Uploads a bank's answers, then shows what became of each. */
export function AnswersDialog({ onClose }: { readonly onClose: () => void }) {
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

const columns: readonly Column<AnswerRow & { readonly key: string }>[] = [
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

/** What needs somebody comes first, and Escape does not close it. */
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
        columns={columns}
        rows={[...lookedAt, ...keyed.filter((row) => !needsSomebody(row))]}
        rowId={keyOf}
        error={false}
        empty={<EmptyState title="No answers">The file says nothing about payments.</EmptyState>}
      />
    </Dialog>
  )
}
