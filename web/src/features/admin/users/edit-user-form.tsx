import { useState } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import type { UserDetails } from '../../../../../services/api/user-schemas.ts'
import { checkedBy, showAtFields } from '../../../form/form.ts'
import { accountFieldNames, AccountParts } from './account-parts.tsx'
import { FormDialog, FormPart, HalfSavedNotice } from './form-dialog.tsx'
import { addressFields, FormFields, identityFields } from './form-fields.tsx'
import { HalfSaved, useEditUser } from './user-management-queries.ts'
import { type AccountValues, accountChangeOf, accountValuesOf, changedOf, userChangeOf, type UserValues, userValuesOf } from './values.ts'
import { accountBefore, askedAbout, noWhy, whyChangeOf, type WhyValues } from './why.ts'

export interface UserFormProps {
  /** As it was just read. */
  readonly user: UserDetails
  readonly onClose: () => void
}

/** Changes a user, then the account (specification §7). Both may be sent again, so the whole form can simply be retried. */
export function EditUserForm({ user, onClose }: UserFormProps) {
  // As the form began: the user may be read anew while somebody types.
  const [before] = useState(() => ({ user: userValuesOf(user), account: accountValuesOf(user.tradingAccount), decided: accountBefore(user) }))
  const [checked] = useState(() => checkedBy(() => import('./user-management-schemas.ts').then(({ editUser }) => editUser(before.decided))))
  const form = useForm<UserValues & AccountValues & WhyValues>({
    resolver: checked,
    defaultValues: { ...before.user, ...before.account, ...noWhy },
  })
  const { register, handleSubmit, setError, formState } = form
  const edit = useEditUser()
  const half = edit.error instanceof HalfSaved ? edit.error : undefined
  const submit = handleSubmit(({ fullName, email, country, city, street, houseNumber, reason, mistake, evidence, ...account }) =>
    edit.mutate(
      {
        id: user.id,
        user: userChangeOf({ fullName, email, country, city, street, houseNumber }, before.user),
        account: {
          ...accountChangeOf(changedOf(account, before.account)),
          ...whyChangeOf(askedAbout(before.decided, account), { reason, mistake, evidence }),
        },
      },
      {
        onSuccess: onClose,
        onError: (error) => showAtFields(error instanceof HalfSaved ? error.cause : error, fieldNames, setError),
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
        <HalfSavedNotice
          saved="The personal information is saved, the trading account is not."
          missing="What you entered is still here; press Save Changes to try again."
          reason={half.message}
        />
      )}
      <FormPart title="Personal information">
        <FormFields fields={[...identityFields, ...addressFields]} register={register} errors={formState.errors} />
      </FormPart>
      <FormProvider {...form}>
        <AccountParts before={before.decided} />
      </FormProvider>
    </FormDialog>
  )
}

const fieldNames = [...[...identityFields, ...addressFields].map(({ name }) => name), ...accountFieldNames]
