import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type FirmAnswer, FirmChange } from '#services/identity/firm/firm-api.ts'
import { LARGEST_LOGO } from '#services/identity/firm/firm-vocabulary.ts'
import { ApiError } from '@/api/api-error.ts'
import { useApiForm } from '@/form/api-form.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { TextInput } from '@/ui/field.tsx'
import { changeFirm, changeLogo } from './firm-queries.ts'

interface FirmDialogProps {
  readonly firm: FirmAnswer
  readonly onClose: () => void
}

/** The name, the colour, and the addresses. An empty field leaves it to the variable. */
export function FirmDialog({ firm, onClose }: FirmDialogProps) {
  const { defaults } = firm
  const change = useMutation(changeFirm)
  const { field, handleSubmit, showRefusal } = useApiForm(FirmChange, {
    name: firm.name ?? '',
    accent: firm.accent ?? '',
    supportEmail: firm.supportEmail ?? '',
    senderName: firm.senderName ?? '',
    senderAddress: firm.senderAddress ?? '',
  })
  const onSubmit = handleSubmit((body) => change.mutate(body, { onSuccess: onClose, onError: showRefusal }))
  return (
    <FormDialog
      title="Name and Colours"
      description="On every page, in mails, receipts and certificates. Certificates that were shared keep the name of their day."
      submit="Save"
      change={change}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <TextInput label="Name" autoComplete="off" placeholder={defaults.name ?? 'Proofdesk'} {...field('name')} />
      <TextInput
        label="Colour"
        autoComplete="off"
        spellCheck={false}
        placeholder="#4338ca"
        hint="Of buttons and links, as # and six digits. It must be dark enough to read on white; the dark theme has a light shade of it."
        {...field('accent')}
      />
      <TextInput
        label="Support address"
        type="email"
        autoComplete="off"
        placeholder={defaults.supportEmail ?? ''}
        hint="Whom people ask for help, on pages and in mails."
        {...field('supportEmail')}
      />
      <TextInput
        label="Sender of mails"
        autoComplete="off"
        placeholder={defaults.senderName}
        {...field('senderName')}
      />
      <TextInput
        label="Sender's address"
        type="email"
        autoComplete="off"
        placeholder={defaults.senderAddress}
        hint="Your mail server must be allowed to send for it. Send a test afterwards."
        {...field('senderAddress')}
      />
    </FormDialog>
  )
}

/** The logo, from a file. */
export function LogoDialog({ onClose }: { readonly onClose: () => void }) {
  const [file, setFile] = useState<File>()
  const change = useMutation(changeLogo)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (file) change.mutate(file, { onSuccess: onClose })
  }
  return (
    <FormDialog
      title="Logo"
      description="One that is more than twice as wide as high stands alone; beside any other stands the name."
      submit="Save"
      change={change}
      disabled={!file}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="File"
        type="file"
        error={change.error instanceof ApiError ? change.error.fields['content'] : undefined}
        accept=".svg,.png,image/svg+xml,image/png"
        hint={`SVG or PNG, at most ${LARGEST_LOGO / 1024} KB and 1024 pixels. It stands on white and on near-black.`}
        onChange={({ target }) => setFile(target.files?.[0])}
      />
    </FormDialog>
  )
}
