import { type FormEvent, useState } from 'react'
import { FormDialog } from '@/form/form-dialog.tsx'
import { TextArea } from '@/ui/field.tsx'

interface ReasonDialogProps {
  readonly title: string
  readonly description: string
  /** The text of the submit button. */
  readonly submit: string
  /** In characters. */
  readonly longest: number
  readonly change: { readonly isPending: boolean; readonly error: Error | null }
  readonly onReason: (reason: string) => void
  readonly onClose: () => void
}

/** Asks why before something is done. */
export function ReasonDialog({ longest, onReason, ...dialog }: ReasonDialogProps) {
  const [reason, setReason] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onReason(reason.trim())
  }
  return (
    <FormDialog {...dialog} disabled={reason.trim() === ''} onSubmit={submit}>
      <TextArea
        label="Reason"
        value={reason}
        maxLength={longest}
        data-autofocus
        onChange={({ target }) => setReason(target.value)}
      />
    </FormDialog>
  )
}
