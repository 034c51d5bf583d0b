import { useMutation } from '@tanstack/react-query'
import { MailTest } from '#services/operations/setup/setup-api.ts'
import { useApiForm } from '@/form/api-form.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { TextInput } from '@/ui/field.tsx'
import { testMail } from './setup-queries.ts'

/** Asks for the address, and says what became of the mail. Members of staff have no address of their own here. */
export function TestMailDialog({ onClose }: { readonly onClose: () => void }) {
  const change = useMutation(testMail)
  const { field, handleSubmit, showRefusal } = useApiForm(MailTest, { address: '' })
  const onSubmit = handleSubmit(({ address }) => change.mutate(address, { onError: showRefusal }))
  return (
    <FormDialog
      title="Test Mail"
      description="It is sent at once, and what became of it is said here. The address is not kept."
      submit="Send"
      change={change}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <TextInput label="Your address" type="email" autoComplete="email" {...field('address')} />
      {change.data && (
        <p role="status" className={change.data.outcome === 'sent' ? 'text-good' : 'text-bad'}>
          {change.data.says}
        </p>
      )}
    </FormDialog>
  )
}
