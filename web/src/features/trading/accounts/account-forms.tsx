import { useMutation } from '@tanstack/react-query'
import { optionsOf } from '#services/framework/api/options.ts'
import { AccountClosing } from '#services/trading/accounts/account-change-api.ts'
import { accountFieldNames, eachField } from '#services/trading/accounts/account-fields.ts'
import { NewEntry } from '#services/trading/accounts/ledger-api.ts'
import { bookedKinds, entryKindLabels } from '#services/trading/stream/ledger-vocabulary.ts'
import { AmountInput } from '@/form/amount-input.tsx'
import { useApiForm } from '@/form/api-form.ts'
import { FormDialog, FormSection } from '@/form/form-dialog.tsx'
import { accountName } from '@/format/account-name.ts'
import { useChangeAddress } from '@/lists/address.ts'
import { Select, TextArea, TextInput } from '@/ui/field.tsx'
import { FormFields, platformFields, riskFields, statusFields } from './account-form-fields.tsx'
import { accountFormSchema } from './account-form-schema.ts'
import { accountChangeOf, accountValuesOf } from './account-values.ts'
import type { UserFormProps } from './staff-account-form.tsx'
import { openAccount, bookEntry, closeAccount } from './staff-account-queries.ts'
import { WhyFields } from './why-fields.tsx'
import { noWhy, whyChangeOf } from './why.ts'

const initial = { ...accountValuesOf(null), ...noWhy }
const optional = ['balance', 'profitLoss']

/** Opens a further account of a user, with its first values; then it is the one that the details show. */
export function OpenAccountForm({ user, onClose }: UserFormProps) {
  const open = useMutation(openAccount)
  const changeAddress = useChangeAddress()
  const { change, field, handleSubmit, showRefusal, watch } = useApiForm(
    accountFormSchema<typeof initial>(null, optional),
    initial,
  )
  const onSubmit = handleSubmit((values) =>
    open.mutate(
      {
        id: user.id,
        fullName: user.fullName,
        body: {
          ...accountChangeOf(eachField(accountFieldNames, (name) => values[name])),
          ...whyChangeOf(null, values),
        },
      },
      {
        onSuccess: ({ id }) =>
          void changeAddress(
            { form: undefined, account: id },
            { replace: true, state: (before) => ({ ...before, alone: false }) },
          ),
        onError: showRefusal,
      },
    ),
  )
  return (
    <FormDialog
      title="Open Account"
      description={`A further account of ${user.fullName} (${user.email}). The other accounts stay as they are.`}
      submit="Open Account"
      change={open}
      onSubmit={onSubmit}
      onClose={onClose}
      width="large"
    >
      <FormSection title="Account status">
        <FormFields fields={statusFields} field={field} />
      </FormSection>
      <FormSection title="Trading platform">
        <FormFields fields={platformFields} field={field} />
      </FormSection>
      <FormSection title="Risk management">
        <FormFields fields={riskFields} field={field} />
      </FormSection>
      <WhyFields user={undefined} before={null} values={watch()} field={field} change={change} />
    </FormDialog>
  )
}

const noEntry = { kind: '', amount: '', reference: '', reason: '' }
const kinds = optionsOf(bookedKinds, entryKindLabels)

/** Books an entry that neither trading nor a payout made. */
export function BookEntryForm({ user, onClose }: UserFormProps) {
  const { id, fullName, email, tradingAccount: account } = user
  const book = useMutation(bookEntry)
  const { field, getValues, handleSubmit, showRefusal } = useApiForm(NewEntry, noEntry)
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
      <AmountInput
        label="Amount (USD)"
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

/** Closes an account for good, for a reason. */
export function CloseAccountForm({ user, onClose }: UserFormProps) {
  const { id, fullName, email, tradingAccount: account } = user
  const close = useMutation(closeAccount)
  const { field, handleSubmit, showRefusal } = useApiForm(AccountClosing, { reason: '' })
  const onSubmit = handleSubmit(({ reason }) => {
    if (account)
      close.mutate({ id, fullName, account: account.id, reason }, { onSuccess: onClose, onError: showRefusal })
  })
  return (
    <FormDialog
      title="Close Account"
      description={`${account ? accountName(account) : 'The account'} of ${fullName} (${email})`}
      submit="Close Account"
      dangerous
      change={close}
      disabled={!account?.open}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {account?.open === false ? (
        <p>This account is closed already.</p>
      ) : (
        <>
          <p>
            The account ends for good: nothing about it can be changed, no payout can be requested, and its login is
            free for another account. Its history, payouts and certificates stay.
          </p>
          <TextArea label="Reason" hint="The trader reads it." maxLength={2000} {...field('reason')} />
        </>
      )}
    </FormDialog>
  )
}
