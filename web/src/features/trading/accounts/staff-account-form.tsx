import type { UserDetails } from '#services/trading/traders/trader-api.ts'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { accountForms, eachField } from '#services/trading/accounts/account-fields.ts'
import { accountStatuses, loginFields } from '#services/trading/stream/account-vocabulary.ts'
import { useApiForm } from '@/form/api-form.ts'
import { useMay } from '@/features/frame/access.tsx'
import { FormDialog } from '@/form/form-dialog.tsx'
import { FormFields, loginFormFields, platformFields, riskFields } from './account-form-fields.tsx'
import { accountFormSchema } from './account-form-schema.ts'
import { accountChanges, accountPhrase, accountToName, taskChanges } from './staff-account-queries.ts'
import { accountChangeOf, accountValuesOf } from './account-values.ts'
import { noWhy, whyChangeOf } from './why.ts'
import { WhyFields } from './why-fields.tsx'

export interface UserFormProps {
  /** As it was just read, with the account that the form is about as its `tradingAccount`. */
  readonly user: UserDetails
  readonly onClose: () => void
}

const { platform, risk, status } = accountChanges

/** The forms of single sections of the details, and those that give the account another status. */
const forms = {
  platform: {
    title: 'Edit trading platform',
    what: 'signs in to MT4 or MT5 with these.',
    names: accountForms.platform,
    fields: platformFields,
    saves: platform,
  },
  login: {
    title: 'Edit trading platform',
    what: 'signs in to MT4 or MT5 with these.',
    names: loginFields,
    fields: loginFormFields,
    saves: taskChanges.login,
  },
  risk: { title: 'Edit risk management', what: undefined, names: accountForms.risk, fields: riskFields, saves: risk },
  active: { title: 'Set Active', what: 'is active again.', names: ['status'], fields: [], saves: status },
  'under-review': {
    title: 'Set Under Review',
    what: 'sees at once that the account is being reviewed.',
    names: ['status'],
    fields: [],
    saves: status,
  },
  breached: {
    title: 'Set Breached',
    what: 'sees at once that the account broke a rule.',
    names: ['status'],
    fields: [],
    saves: status,
  },
} as const

/**
 * Changes some fields of an account, or its status, and asks why where that is required. Sends exactly its fields
 * (specification §7).
 */
export function AccountForm({ form, user, onClose }: UserFormProps & { readonly form: keyof typeof forms }) {
  const mayChange = useMay('change-accounts')
  // Who does tasks sets no phase.
  const name = form === 'platform' && !mayChange ? 'login' : form
  const { title, what, names, fields, saves } = forms[name]
  const newStatus = accountStatuses.find((one) => one === name)
  // As the form began: the user may be read again during typing.
  const [before] = useState(user.tradingAccount)
  const known = accountValuesOf(before)
  const initial = { ...eachField(names, (field) => (field === 'status' && newStatus) || known[field]), ...noWhy }
  const change = useMutation(saves)
  const {
    change: changeField,
    field,
    handleSubmit,
    showRefusal,
    watch,
  } = useApiForm(accountFormSchema<typeof initial>(before, []), initial)
  const onSubmit = handleSubmit((values) =>
    change.mutate(
      {
        id: user.id,
        fullName: user.fullName,
        account: name === 'login' ? before?.id : accountToName(user),
        changes: {
          ...accountChangeOf(
            eachField(names, (field) => values[field]),
            known,
          ),
          ...whyChangeOf(before, values),
        },
      },
      { onSuccess: onClose, onError: showRefusal },
    ),
  )
  const isUnchanged = newStatus !== undefined && newStatus === known.status
  const who = `${user.fullName} (${user.email})${accountPhrase(user)}`
  return (
    <FormDialog
      title={title}
      description={
        what === undefined
          ? `What ${user.fullName} may lose, and has to reach${accountPhrase(user)}.`
          : `${who} ${what}`
      }
      submit={newStatus ? title : 'Save Changes'}
      dangerous={newStatus === 'breached'}
      change={change}
      disabled={isUnchanged}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {isUnchanged && <p>The account has this status already.</p>}
      {fields.length > 0 && <FormFields fields={fields} field={field} account={before} />}
      <WhyFields user={user} before={before} values={watch()} field={field} change={changeField} />
    </FormDialog>
  )
}
