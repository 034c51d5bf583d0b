import { useMutation, useQuery } from '@tanstack/react-query'
import { FirmAccountChange } from '#services/payments/batches/batch-api.ts'
import { useApiForm } from '@/form/api-form.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { TextInput } from '@/ui/field.tsx'
import { changeFirmAccount, firmAccountQuery } from './batch-queries.ts'

/** The account that the firm pays from. */
export function FirmAccountDialog({ onClose }: { readonly onClose: () => void }) {
  const { data } = useQuery(firmAccountQuery)
  return data && <FirmAccountForm account={data.account ?? { name: '', iban: '', bic: '' }} onClose={onClose} />
}

interface FirmAccountFormProps {
  readonly account: { readonly name: string; readonly iban: string; readonly bic: string }
  readonly onClose: () => void
}

function FirmAccountForm({ account, onClose }: FirmAccountFormProps) {
  const change = useMutation(changeFirmAccount)
  const { field, handleSubmit, showRefusal } = useApiForm(FirmAccountChange, { ...account })
  const onSubmit = handleSubmit((body) => change.mutate(body, { onSuccess: onClose, onError: showRefusal }))
  return (
    <FormDialog
      title="Firm's Account"
      description="A bank's file names it. Batches that were released keep the account that they had."
      submit="Save"
      change={change}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <TextInput label="Name" autoComplete="off" {...field('name')} />
      <TextInput label="IBAN" autoComplete="off" {...field('iban')} />
      <TextInput label="BIC" autoComplete="off" {...field('bic')} />
    </FormDialog>
  )
}
