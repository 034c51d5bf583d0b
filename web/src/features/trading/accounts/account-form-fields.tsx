import {
  accountStatuses,
  accountStatusLabels,
  loginFields,
  platformLabels,
  platforms,
} from '#services/trading/stream/account-vocabulary.ts'
import { optionsOf } from '#services/framework/api/options.ts'
import type { FocusEvent } from 'react'
import {
  accountField,
  type AccountFieldKind,
  type AccountFieldName,
  accountForms,
  fieldsOfProgramme,
} from '#services/trading/accounts/account-fields.ts'
import { AmountInput } from '@/form/amount-input.tsx'
import type { FieldProps } from '@/form/api-form.ts'
import { type Option, Select, TextInput } from '@/ui/field.tsx'

/** The fields about a user and the account, alike in every form that has them. */

export interface FormField<Name> {
  readonly name: Name
  readonly label: string
  readonly options?: readonly Option[]
  readonly hint?: string
  readonly type?: 'email'
  readonly isAmount?: true
  /** Selects the whole text on focus, so that typing replaces it: dots are shown for what is set. */
  readonly onFocus?: (event: FocusEvent<HTMLInputElement>) => void
}

/** The control of a field by its kind; plain text without one. */
const controls: Readonly<
  Partial<Record<AccountFieldKind, Pick<FormField<string>, 'options' | 'isAmount' | 'hint' | 'onFocus'>>>
> = {
  money: { isAmount: true },
  profit: { isAmount: true },
  secret: { hint: 'Type to replace it; the dots mean that one is set', onFocus: ({ target }) => target.select() },
  status: { options: optionsOf(accountStatuses, accountStatusLabels) },
  platform: { options: [{ value: '', label: 'Not set' }, ...optionsOf(platforms, platformLabels)] },
  switch: {
    options: [
      { value: 'true', label: 'Enabled' },
      { value: 'false', label: 'Disabled' },
    ],
  },
}

function fieldsOf<Name extends AccountFieldName>(names: readonly Name[]): readonly FormField<Name>[] {
  return names.map((name) => {
    const { kind, label, formLabel = label, hint } = accountField(name)
    return { name, label: formLabel, ...(hint !== undefined && { hint }), ...controls[kind] }
  })
}

export const statusFields = fieldsOf(accountForms.status)
export const platformFields = fieldsOf(accountForms.platform)
export const loginFormFields = fieldsOf(loginFields)
export const riskFields = fieldsOf(accountForms.risk)

interface FormFieldsProps<Name> {
  readonly fields: readonly FormField<Name>[]
  /** The function of `useApiForm`. */
  readonly field: (name: Name) => FieldProps
  /** The account of these fields. Those that its programme sets, where it has one, are left out. */
  readonly account?: { readonly programme: object | null } | null
}

/** Some of the fields, side by side where there is room. */
export function FormFields<Name extends string>({ fields, field, account }: FormFieldsProps<Name>) {
  const isShown = ({ name }: FormField<Name>) => !account?.programme || !fieldsOfProgramme.some((each) => each === name)
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      {fields
        .filter(isShown)
        .map(({ name, options, isAmount, ...input }) =>
          options ? (
            <Select key={name} options={options} label={input.label} {...field(name)} />
          ) : isAmount ? (
            <AmountInput key={name} {...input} {...field(name)} />
          ) : (
            <TextInput key={name} autoComplete="off" spellCheck={false} {...input} {...field(name)} />
          ),
        )}
    </div>
  )
}
