import { useState } from 'react'
import { FormProvider, useForm, useWatch } from 'react-hook-form'
import { accountForms, eachField } from '../../../../../services/api/account-fields.ts'
import { checkedBy, showAtFields } from '../../../form/form.ts'
import type { UserFormProps } from './edit-user-form.tsx'
import { FormDialog } from './form-dialog.tsx'
import { FormFields, platformFields, riskFields } from './form-fields.tsx'
import { accountChangeMessages, useChangeAccount } from './user-management-queries.ts'
import { accountChangeOf, accountValuesOf } from './values.ts'
import { accountBefore, whyRequirementsFor, noWhy, whyChangeOf, whyFieldNames } from './why.ts'
import { WhyFields } from './why-fields.tsx'

/** The forms of single sections of the details. Each sends exactly its own fields (specification §7). */

const platformChecked = checkedBy(() => import('./user-management-schemas.ts').then(({ platform }) => platform))

/** Login, master password, server and phase. */
export function PlatformForm({ user, onClose }: UserFormProps) {
  const values = accountValuesOf(user.tradingAccount)
  const { register, handleSubmit, setError, formState } = useForm({
    resolver: platformChecked,
    defaultValues: eachField(accountForms.platform, (name) => values[name]),
  })
  const change = useChangeAccount(accountChangeMessages.platform)
  const submit = handleSubmit((values) =>
    change.mutate(
      { id: user.id, changes: accountChangeOf(values) },
      {
        onSuccess: onClose,
        onError: (error) =>
          showAtFields(
            error,
            platformFields.map(({ name }) => name),
            setError,
          ),
      },
    ),
  )
  return (
    <FormDialog
      title="Edit trading platform"
      description={`${user.fullName} (${user.email}) signs in to MT4 or MT5 with these.`}
      submit="Save Changes"
      busy={change.isPending}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
    >
      <FormFields fields={platformFields} register={register} errors={formState.errors} />
    </FormDialog>
  )
}

/** The two limits and the target. */
export function RiskForm({ user, onClose }: UserFormProps) {
  const values = accountValuesOf(user.tradingAccount)
  const [before] = useState(() => accountBefore(user))
  const [checked] = useState(() => checkedBy(() => import('./user-management-schemas.ts').then(({ risk }) => risk(before))))
  const form = useForm({ resolver: checked, defaultValues: { ...eachField(accountForms.risk, (name) => values[name]), ...noWhy } })
  const { register, handleSubmit, setError, formState, control } = form
  const asked = whyRequirementsFor(before, useWatch({ control }))
  const change = useChangeAccount(accountChangeMessages.risk)
  const submit = handleSubmit(({ reason, mistake, evidence, ...limits }) =>
    change.mutate(
      { id: user.id, changes: { ...accountChangeOf(limits), ...whyChangeOf(whyRequirementsFor(before, limits), { reason, mistake, evidence }) } },
      { onSuccess: onClose, onError: (error) => showAtFields(error, [...riskFields.map(({ name }) => name), ...whyFieldNames], setError) },
    ),
  )
  return (
    <FormDialog
      title="Edit risk management"
      description={`What ${user.fullName} may lose, and has to reach.`}
      submit="Save Changes"
      busy={change.isPending}
      onSubmit={(event) => void submit(event)}
      onClose={onClose}
    >
      <FormFields fields={riskFields} register={register} errors={formState.errors} />
      <FormProvider {...form}>
        <WhyFields before={before} asked={asked} />
      </FormProvider>
    </FormDialog>
  )
}
