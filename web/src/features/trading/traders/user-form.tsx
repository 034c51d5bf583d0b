import type { UserDetails } from '#services/trading/traders/trader-api.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { accountFieldNames, eachField } from '#services/trading/accounts/account-fields.ts'
import { useApiForm } from '@/form/api-form.ts'
import { FormDialog, FormSection } from '@/form/form-dialog.tsx'
import {
  type FormField,
  FormFields,
  platformFields,
  riskFields,
  statusFields,
} from '@/features/trading/accounts/account-form-fields.tsx'
import { useMay } from '@/features/frame/access.tsx'
import { mailNote } from '@/features/frame/session-queries.ts'
import { PartiallySaved } from '@/features/frame/staff-change.ts'
import { accountFormSchema } from '@/features/trading/accounts/account-form-schema.ts'
import { countries } from '@/format/countries.ts'
import { saveUser, type UserChange } from './save-user.ts'
import { accountChangeOf, accountValuesOf, changedOf, isGiven } from '@/features/trading/accounts/account-values.ts'
import { accountPhrase, accountToName } from '@/features/trading/accounts/staff-account-queries.ts'
import { noWhy, whyChangeOf } from '@/features/trading/accounts/why.ts'
import { WhyFields } from '@/features/trading/accounts/why-fields.tsx'

const addressNames = ['country', 'city', 'street', 'houseNumber'] as const

export type UserValues = Record<'fullName' | 'email' | (typeof addressNames)[number], string>

/** A user as the form begins with; undefined for a new one. */
export function userValuesOf(user: UserDetails | undefined): UserValues {
  const { fullName = '', email = '', country = '', city = '', street = '', houseNumber = '' } = user ?? {}
  return { fullName, email, country, city, street, houseNumber }
}

/** Name and email always (specification §7), unless emptied; of the address what was changed. */
export function userChangeOf({ fullName, email, ...values }: UserValues, before: UserValues): UserChange {
  return {
    ...(isGiven(fullName) && { fullName }),
    ...(isGiven(email) && { email }),
    ...changedOf(addressNames, values, before),
  }
}

const identityFields: readonly FormField<'fullName' | 'email'>[] = [
  { name: 'fullName', label: 'Full Name' },
  { name: 'email', label: 'Email', type: 'email' },
]

/** A user created by an administrator has no country yet. */
const addressFields: readonly FormField<keyof UserValues>[] = [
  { name: 'country', label: 'Country', options: [{ value: '', label: 'Not set' }, ...countries] },
  { name: 'city', label: 'City' },
  { name: 'street', label: 'Street' },
  { name: 'houseNumber', label: 'House Number' },
]

interface UserFormProps {
  /** As it was just read, with the account that the form is about; undefined to add one. */
  readonly user?: UserDetails
  readonly onClose: () => void
}

/**
 * Adds or changes a user, then the account (specification §7). When only the second request fails, the form can be sent
 * again.
 */
export function UserForm({ user, onClose }: UserFormProps) {
  // As the form began: the user may be read again during typing.
  const [before] = useState(user)
  const accountBefore = before?.tradingAccount ?? null
  const [userValues, accountValues] = [userValuesOf(before), accountValuesOf(accountBefore)]
  const save = useMutation(saveUser(user?.id))
  const mayChangeAccount = useMay('change-accounts')
  const mayEnrol = useMay('enrol-traders')
  const half = save.error instanceof PartiallySaved ? save.error : undefined
  const optional = user ? ['balance', 'profitLoss', 'fullName', 'email'] : ['balance', 'profitLoss']
  const initial = { ...userValues, ...accountValues, ...noWhy }
  const { change, field, handleSubmit, showRefusal, watch } = useApiForm(
    accountFormSchema<typeof initial>(accountBefore, optional),
    initial,
  )
  const onSubmit = handleSubmit((values) => {
    const account = eachField(accountFieldNames, (name) => values[name])
    save.mutate(
      {
        user: userChangeOf(values, userValues),
        account: mayChangeAccount
          ? {
              ...accountChangeOf(user ? changedOf(accountFieldNames, account, accountValues) : account, accountValues),
              ...whyChangeOf(accountBefore, values),
            }
          : undefined,
        accountId: user && accountToName(user),
        createdId: half?.id,
      },
      { onSuccess: onClose, onError: (error) => showRefusal(error instanceof PartiallySaved ? error.cause : error) },
    )
  })
  const client = useQueryClient()
  const submit = user ? 'Save Changes' : half ? 'Save the account' : 'Add User'
  return (
    <FormDialog
      title={user ? 'Edit User' : 'Add User'}
      description={
        user
          ? `${user.fullName} (${user.email})${accountPhrase(user)}`
          : mailNote(client, 'The person gets a mail with a link to set a password.')
      }
      submit={submit}
      change={save}
      onSubmit={onSubmit}
      onClose={onClose}
      width={user ? 'large' : 'medium'}
    >
      {half && (
        <div role="alert" className="rounded-md border border-bad bg-bad-soft px-4 py-3 text-13">
          <p className="font-semibold text-bad">
            {user
              ? 'The personal information is saved, the trading account is not.'
              : 'The user was created, but the trading account is not saved yet.'}
          </p>
          <p>
            What you entered{user ? '' : ' for the account'} is still here; press {submit} to try again. {half.message}
          </p>
        </div>
      )}
      {/* Once a new user is created these are no longer sent. */}
      <FormSection title="Personal information" disabled={!user && half !== undefined}>
        <FormFields fields={user ? [...identityFields, ...addressFields] : identityFields} field={field} />
      </FormSection>
      {!user && mayEnrol && (
        <p className="text-13 text-muted">
          For a programme that is all: press Enrol in the details of the new user, and its terms set the rest. Below is
          what staff set by hand of an account without a programme.
        </p>
      )}
      {mayChangeAccount && (
        <>
          <FormSection title="Account status">
            <FormFields fields={statusFields} field={field} account={accountBefore} />
          </FormSection>
          <FormSection title="Trading platform">
            <FormFields fields={platformFields} field={field} account={accountBefore} />
          </FormSection>
          <FormSection title="Risk management">
            {accountBefore?.programme ? (
              <p className="text-13 text-muted">
                {accountBefore.programme.name} sets phase, limits, target and profit.
              </p>
            ) : (
              <FormFields fields={riskFields} field={field} />
            )}
          </FormSection>
          <WhyFields user={user} before={accountBefore} values={watch()} field={field} change={change} />
        </>
      )}
    </FormDialog>
  )
}
