import { useState } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import type { UserDetails } from '../../../../../services/api/user-schemas.ts'
import { checkedBy, showAtFields } from '../../../form/form.ts'
import { accountFieldNames, AccountSections } from './account-parts.tsx'
import { FormDialog, FormSection, PartialSaveNotice } from './form-dialog.tsx'
import { addressFields, FormFields, identityFields } from './form-fields.tsx'
import { PartiallySaved, useEditUser } from './user-management-queries.ts'
import { type AccountValues, accountChangeOf, accountValuesOf, changedOf, userChangeOf, type UserValues, userValuesOf } from './values.ts'
import { accountBefore, whyRequirementsFor, noWhy, whyChangeOf, type WhyValues } from './why.ts'

export interface UserFormProps {
  /** As it was just read. */
  readonly user: UserDetails
  readonly onClose: () => void
}

/** Changes a user, then the account (specification §7). Both may be sent again, so the whole form can simply be retried. */
export function EditUserForm({ user, onClose }: UserFormProps) {
  // As the form began: the user may be read again during typing.
  const [before] = useState(() => ({ user: userValuesOf(user), account: accountValuesOf(user.tradingAccount), decided: accountBefore(user) }))
  const [checked] = useState(() => checkedBy(() => import('./user-management-schemas.ts').then(({ editUser }) => editUser(before.decided))))
  const form = useForm<UserValues & AccountValues & WhyValues>({
    resolver: checked,
    defaultValues: { ...before.user, ...before.account, ...noWhy },
  })
  const { register, handleSubmit, setError, formState } = form
  const edit = useEditUser()
  const half = edit.error instanceof PartiallySaved ? edit.error : undefined
  const submit = handleSubmit(({ fullName, email, country, city, street, houseNumber, reason, mistake, evidence, ...account }) =>
    edit.mutate(
      {
        id: user.id,
        user: userChangeOf({ fullName, email, country, city, street, houseNumber }, before.user),
        account: {
          ...accountChangeOf(changedOf(account, before.account)),
          ...whyChangeOf(whyRequirementsFor(before.decided, account), { reason, mistake, evidence }),
        },
      },
      {
        onSuccess: onClose,
        onError: (error) => showAtFields(error instanceof PartiallySaved ? error.cause : error, fieldNames, setError),
      },
    ),
  )
  return (
    <FormDialog
      title="Edit User"
      description={`${user.fullName} (${user.email})`}
      submit="Save Changes"
      busy={edit.isPending}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
      width="large"
    >
      {half && (
        <PartialSaveNotice
          saved="The personal information is saved, the trading account is not."
          missing="What you entered is still here; press Save Changes to try again."
          reason={half.message}
        />
      )}
      <FormSection title="Personal information">
        <FormFields fields={[...identityFields, ...addressFields]} register={register} errors={formState.errors} />
      </FormSection>
      <FormProvider {...form}>
        <AccountSections before={before.decided} />
      </FormProvider>
    </FormDialog>
  )
}

const fieldNames = [...[...identityFields, ...addressFields].map(({ name }) => name), ...accountFieldNames]
