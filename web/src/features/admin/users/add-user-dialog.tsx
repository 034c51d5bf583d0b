import { useForm } from 'react-hook-form'
import { checkedBy, showAtFields } from '../../../form/form.ts'
import { FormDialog, FormPart, HalfSavedNotice } from './form-dialog.tsx'
import { FormFields, identityFields, platformFields, riskFields, statusFields } from './form-fields.tsx'
import { HalfSaved, useCreateUser } from './queries.ts'
import { type AccountValues, accountChangeOf, newAccount } from './values.ts'

const checked = checkedBy(() => import('./schemas.ts').then(({ newUser }) => newUser))

interface NewUserValues extends AccountValues {
  fullName: string
  email: string
}

/** Adds a user, then the first values of the account (specification §7). When only the second fails, the button goes on from there. */
export function AddUserDialog({ onClose }: { readonly onClose: () => void }) {
  const { register, handleSubmit, setError, formState } = useForm<NewUserValues>({ resolver: checked, defaultValues: { fullName: '', email: '', ...newAccount } })
  const { errors } = formState
  const create = useCreateUser()
  const half = create.error instanceof HalfSaved ? create.error : undefined
  const submit = handleSubmit(({ fullName, email, ...account }) =>
    create.mutate(
      { user: { fullName, email }, account: accountChangeOf(account), createdId: half?.id },
      {
        onSuccess: onClose,
        onError: (error) => showAtFields(error instanceof HalfSaved ? error.cause : error, fieldNames, setError),
      },
    ),
  )
  return (
    <FormDialog
      title="Add User"
      description="The person gets a mail with a link to set a password."
      submit={half ? 'Save the account' : 'Add User'}
      busy={create.isPending}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
    >
      {half && (
        <HalfSavedNotice
          saved="The user was created, but the trading account is not saved yet."
          missing="What you entered for the account is still here; press Save the account to try again."
          reason={half.message}
        />
      )}
      {/* Once the person is created these are no longer sent. */}
      <fieldset disabled={half !== undefined} className="min-w-0">
        <legend className="mb-3 text-14 font-semibold">Personal information</legend>
        <FormFields fields={identityFields} register={register} errors={errors} />
      </fieldset>
      <FormPart title="Account status">
        <FormFields fields={statusFields} register={register} errors={errors} />
      </FormPart>
      <FormPart title="Trading platform">
        <FormFields fields={platformFields} register={register} errors={errors} />
      </FormPart>
      <FormPart title="Risk management">
        <FormFields fields={riskFields} register={register} errors={errors} />
      </FormPart>
    </FormDialog>
  )
}

const fieldNames = [...identityFields, ...statusFields, ...platformFields, ...riskFields].map(({ name }) => name)
