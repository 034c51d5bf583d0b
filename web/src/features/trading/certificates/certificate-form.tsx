import { useMutation } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { FileText, Upload } from 'lucide-react'
import { type DragEvent, type Ref, useState } from 'react'
import { useController } from 'react-hook-form'
import { CertificateForm as schema } from '#services/trading/certificates/certificate-api.ts'
import { useApiForm } from '@/form/api-form.ts'
import { Field, Select, TextInput } from '@/ui/field.tsx'
import { Meter } from '@/ui/meter.tsx'
import type { UserFormProps } from '@/features/trading/accounts/staff-account-form.tsx'
import { FormDialog } from '@/form/form-dialog.tsx'
import { accountName } from '@/format/account-name.ts'
import { uploadCertificate } from './staff-certificate-queries.ts'

const empty: { name: string; accountId: string; issuedAt: string; certificateFile: File | undefined } = {
  name: '',
  accountId: '',
  issuedAt: '',
  certificateFile: undefined,
}

/** Of several accounts one is chosen: the current one is often not the one that passed. */
const ofSeveral = schema.refine(({ accountId = '' }) => accountId !== '', {
  error: 'Please choose the account',
  path: ['accountId'],
})

/**
 * Uploads a certificate for a user: a name, a PDF chosen or dropped, and a date that is today if left empty
 * (specification §5).
 */
export function CertificateForm({ user, onClose }: UserFormProps) {
  const [sent, setSent] = useState(0)
  const upload = useMutation(uploadCertificate(setSent))
  const { control, field, getValues, handleSubmit, showRefusal } = useApiForm(
    user.tradingAccounts.length > 1 ? ofSeveral : schema,
    empty,
  )
  const { field: file, fieldState } = useController({ control, name: 'certificateFile' })
  const onSubmit = handleSubmit(({ certificateFile }) => {
    setSent(0)
    upload.mutate(
      { ...getValues(), certificateFile, userId: user.id, fullName: user.fullName },
      { onSuccess: onClose, onError: showRefusal },
    )
  })
  return (
    <FormDialog
      title="Upload Certificate"
      description={`For ${user.fullName} (${user.email}), who finds it under Certificates.`}
      submit="Upload"
      change={upload}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <TextInput label="Certificate Name" autoComplete="off" {...field('name')} />
      {user.tradingAccounts.length > 1 && (
        <Select
          label="Account"
          options={[
            { value: '', label: 'Please choose the account' },
            ...user.tradingAccounts.map((account) => ({ value: account.id, label: accountName(account) })),
          ]}
          {...field('accountId')}
        />
      )}
      <FileDrop
        label="Certificate PDF"
        name={file.name}
        file={file.value}
        error={fieldState.error?.message}
        onFile={file.onChange}
        inputRef={file.ref}
      />
      <TextInput label="Issue Date" type="date" hint="Today, if left empty" {...field('issuedAt')} />
      {upload.isPending && <Meter role="progressbar" label="Upload" percent={sent * 100} text={progressText(sent)} />}
    </FormDialog>
  )
}

function progressText(sent: number): string {
  return sent < 1 ? `${Math.floor(sent * 100)}% sent` : 'Sent. Saving the file'
}

interface FileDropProps {
  readonly label: string
  readonly name: string
  readonly file: File | undefined
  readonly error: string | undefined
  readonly onFile: (file: File | undefined) => void
  readonly inputRef: Ref<HTMLInputElement>
}

/** A file field that also takes a dropped file. It takes any file: the form's schema checks it. */
function FileDrop({ label, name, file, error, onFile, inputRef }: FileDropProps) {
  const [isDragActive, setDragActive] = useState(false)
  const dragOver = (event: DragEvent) => {
    event.preventDefault()
    setDragActive(true)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setDragActive(false)
    onFile(event.dataTransfer.files[0])
  }
  return (
    <Field label={label} error={error}>
      {(tied) => (
        <div
          onDragOver={dragOver}
          onDragLeave={() => setDragActive(false)}
          onDrop={drop}
          className={clsx(
            'relative flex flex-col items-center gap-1 rounded-lg border border-dashed px-4 py-6 text-center transition-colors duration-150',
            'focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent',
            error ? 'border-bad' : 'border-edge',
            isDragActive ? 'bg-accent-soft' : 'bg-sunken',
          )}
        >
          {file ? (
            <FileText size={20} aria-hidden className="text-muted" />
          ) : (
            <Upload size={20} aria-hidden className="text-muted" />
          )}
          <p className="[overflow-wrap:anywhere]">{file ? file.name : 'Drop the PDF here, or choose it'}</p>
          <p className="text-12 text-muted">
            {file ? `${sizeOf(file.size)}. Drop or choose another to replace it.` : 'One PDF of at most 5MB'}
          </p>
          {/* Invisible over the whole area: a click anywhere opens the file chooser, and so do Enter and Space. */}
          <input
            type="file"
            ref={inputRef}
            name={name}
            accept="application/pdf,.pdf"
            {...tied}
            onChange={({ target }) => onFile(target.files?.[0])}
            className="absolute inset-0 cursor-pointer opacity-0"
          />
        </div>
      )}
    </Field>
  )
}

/** '1.4 MB', '12 kB' */
function sizeOf(bytes: number): string {
  return bytes >= 1_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${Math.max(1, Math.round(bytes / 1000))} kB`
}
