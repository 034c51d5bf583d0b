import { FormProvider, useForm } from 'react-hook-form'
import { checkedBy, showAtFields } from '../../../form/form.ts'
import { accountFieldNames, AccountSections } from './account-parts.tsx'
import { FormDialog, PartialSaveNotice } from './form-dialog.tsx'
import { FormFields, identityFields } from './form-fields.tsx'
import { PartiallySaved, useCreateUser } from './user-management-queries.ts'
import { type AccountValues, accountChangeOf, newAccount } from './values.ts'
import { unsavedAccount, whyRequirementsFor, noWhy, whyChangeOf, type WhyValues } from './why.ts'

const checked = checkedBy(() => import('./user-management-schemas.ts').then(({ newUser }) => newUser(unsavedAccount)))

interface NewUserValues extends AccountValues, WhyValues {
  fullName: string
  email: string
}

/** Adds a user, then the first values of the account (specification §7). When only the second fails, the button goes on from there. */
export function AddUserDialog({ onClose }: { readonly onClose: () => void }) {
  const form = useForm<NewUserValues>({ resolver: checked, defaultValues: { fullName: '', email: '', ...newAccount, ...noWhy } })
  const { register, handleSubmit, setError, formState } = form
  const create = useCreateUser()
  const half = create.error instanceof PartiallySaved ? create.error : undefined
  const submit = handleSubmit(({ fullName, email, reason, mistake, evidence, ...account }) =>
    create.mutate(
      {
        user: { fullName, email },
        account: { ...accountChangeOf(account), ...whyChangeOf(whyRequirementsFor(unsavedAccount, account), { reason, mistake, evidence }) },
        createdId: half?.id,
      },
      {
        onSuccess: onClose,
        onError: (error) => showAtFields(error instanceof PartiallySaved ? error.cause : error, fieldNames, setError),
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
        <PartialSaveNotice
          saved="The user was created, but the trading account is not saved yet."
          missing="What you entered for the account is still here; press Save the account to try again."
          reason={half.message}
        />
      )}
      {/* Once the person is created these are no longer sent. */}
      <fieldset disabled={half !== undefined} className="min-w-0">
        <legend className="mb-3 text-14 font-semibold">Personal information</legend>
        <FormFields fields={identityFields} register={register} errors={formState.errors} />
      </fieldset>
      <FormProvider {...form}>
        <AccountSections before={unsavedAccount} />
      </FormProvider>
    </FormDialog>
  )
}

const fieldNames = [...identityFields.map(({ name }) => name), ...accountFieldNames]
