import { useState } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import type { AccountStatus } from '../../../../../services/api/account-schemas.ts'
import { checkedBy, showAtFields } from '../../../form/form.ts'
import type { UserFormProps } from './edit-user-form.tsx'
import { FormDialog } from './form-dialog.tsx'
import { accountChangeMessages, useChangeAccount } from './user-management-queries.ts'
import { accountBefore, whyRequirementsFor, noWhy, whyChangeOf, whyFieldNames } from './why.ts'
import { WhyFields } from './why-fields.tsx'

interface StatusFormProps extends UserFormProps {
  readonly status: Exclude<AccountStatus, 'pending'>
}

const titles = { active: 'Set Active', 'under-review': 'Set Under Review', breached: 'Set Breached' } as const
const meanings = {
  active: 'is active again.',
  'under-review': 'is told that the account is being reviewed.',
  breached: 'is told that the account broke a rule.',
} as const

/** Gives an account another status and asks why. */
export function StatusForm({ user, status, onClose }: StatusFormProps) {
  const [before] = useState(() => accountBefore(user))
  const asked = whyRequirementsFor(before, { status })
  const [checked] = useState(() => checkedBy(() => import('./user-management-schemas.ts').then((schemas) => schemas.why(asked))))
  const form = useForm({ resolver: checked, defaultValues: noWhy })
  const change = useChangeAccount(accountChangeMessages.status)
  const submit = form.handleSubmit((values) =>
    change.mutate(
      { id: user.id, changes: { status, ...whyChangeOf(asked, values) } },
      { onSuccess: onClose, onError: (error) => showAtFields(error, whyFieldNames, form.setError) },
    ),
  )
  return (
    <FormDialog
      title={titles[status]}
      description={`${user.fullName} (${user.email}) ${meanings[status]}`}
      submit={titles[status]}
      dangerous={status === 'breached'}
      busy={change.isPending}
      disabled={status === before.status}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
    >
      {status === before.status && <p>The account has this status already.</p>}
      <FormProvider {...form}>
        <WhyFields before={before} asked={asked} />
      </FormProvider>
    </FormDialog>
  )
}

export function BreachedForm(props: UserFormProps) {
  return <StatusForm {...props} status="breached" />
}

export function UnderReviewForm(props: UserFormProps) {
  return <StatusForm {...props} status="under-review" />
}

export function ActiveForm(props: UserFormProps) {
  return <StatusForm {...props} status="active" />
}
