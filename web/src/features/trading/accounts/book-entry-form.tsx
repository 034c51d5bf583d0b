import { useMutation } from '@tanstack/react-query'
import { optionsOf } from '#services/framework/api/options.ts'
import { NewEntry } from '#services/trading/ledger/ledger-api.ts'
import { bookedKinds, entryKindLabels } from '#services/trading/stream/ledger-vocabulary.ts'
import { useApiForm } from '@/form/api-form.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { Select, TextArea, TextInput } from '@/ui/field.tsx'
import { accountName } from '@/format/account-name.ts'
import type { UserFormProps } from './staff-account-form.tsx'
import { bookEntry } from './staff-account-queries.ts'

const initial = { kind: '', amount: '', reference: '', reason: '' }
const kinds = optionsOf(bookedKinds, entryKindLabels)

/** Books an entry that neither trading nor a payout made. */
export function BookEntryForm({ user, onClose }: UserFormProps) {
  const { id, fullName, email, tradingAccount: account } = user
  const book = useMutation(bookEntry)
  const { field, getValues, handleSubmit, showRefusal } = useApiForm(NewEntry, initial)
  const onSubmit = handleSubmit((checked) => {
    // The amount is sent as it was typed.
    const entry = { ...checked, amount: getValues().amount }
    if (account) book.mutate({ id, fullName, account: account.id, entry }, { onSuccess: onClose, onError: showRefusal })
  })
  return (
    <FormDialog
      title="Book Entry"
      description={`${account ? accountName(account) : 'The account'} of ${fullName} (${email}). The balance follows; it is no profit.`}
      submit="Book Entry"
      change={book}
      disabled={!account?.open}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Select label="Kind" options={kinds} placeholder="Choose a kind" {...field('kind')} />
      <TextInput
        label="Amount (USD)"
        inputMode="decimal"
        hint="What it moves the balance by: below 0 where it takes money, such as -25.00."
        {...field('amount', { deps: 'kind' })}
      />
      <TextInput
        label="Reference"
        hint="Of the booking at the platform. The same entry again under one reference books nothing."
        maxLength={140}
        {...field('reference')}
      />
      <TextArea label="Reason" hint="The trader reads it." maxLength={2000} {...field('reason')} />
    </FormDialog>
  )
}
