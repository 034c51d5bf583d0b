import { useMutation } from '@tanstack/react-query'
import { accountFieldNames, eachField } from '#services/trading/accounts/account-fields.ts'
import { useApiForm } from '@/form/api-form.ts'
import { FormDialog, FormSection } from '@/form/form-dialog.tsx'
import { useChangeAddress } from '@/lists/address.ts'
import { FormFields, platformFields, riskFields, statusFields } from './account-form-fields.tsx'
import { accountFormSchema } from './account-form-schema.ts'
import { accountChangeOf, accountValuesOf } from './account-values.ts'
import type { UserFormProps } from './staff-account-form.tsx'
import { openAccount } from './staff-account-queries.ts'
import { noWhy, whyChangeOf } from './why.ts'
import { WhyFields } from './why-fields.tsx'

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
