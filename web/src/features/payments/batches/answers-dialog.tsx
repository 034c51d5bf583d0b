import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { optionsOf } from '#services/framework/api/options.ts'
import { type AnswerFormat, answerFormatLabels, answerFormats } from '#services/payments/batches/batch-vocabulary.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { Select, TextInput } from '@/ui/field.tsx'
import { lastAnswersQuery, recordAnswers } from './batch-queries.ts'

/** Uploads a bank's answers, then goes to the page that shows what became of each. */
export function AnswersDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [format, setFormat] = useState<AnswerFormat>('camt.053')
  const [file, setFile] = useState<File>()
  const change = useMutation(recordAnswers)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!file) return
    change.mutate(
      { format, file },
      {
        onSuccess: (rows) => {
          // Not set, but read: so it belongs to the session, and is forgotten with it.
          void client.fetchQuery({ ...lastAnswersQuery, queryFn: () => ({ name: file.name, rows }), staleTime: 0 })
          onClose()
          void navigate({ to: '/admin/payouts/batches/answers', ignoreBlocker: true })
        },
      },
    )
  }
  return (
    <FormDialog
      title="Upload Answers"
      description="What names a payment of ours is recorded or listed, all else is passed over. The same file twice changes nothing."
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
