import type { FieldErrors, FieldValues, Path, UseFormRegister } from 'react-hook-form'
import { accountField, type AccountFieldKind, type AccountFieldName, accountForms } from '../../../../../services/api/account-fields.ts'
import { accountStatuses, accountStatusLabels, optionsOf } from '../../../../../services/api/vocabulary.ts'
import { countries } from '../../../format/countries.ts'
import { type Option, Select, TextInput } from '../../../ui/field.tsx'
import type { UserValues } from './values.ts'

/** The fields about a user and the account, alike in every form that has them. */

interface FormField<Name> {
  readonly name: Name
  readonly label: string
  readonly options?: readonly Option[]
  readonly hint?: string
  readonly type?: 'email'
  readonly inputMode?: 'decimal'
}

/** The control of a field by its kind; a plain text without one. */
const controls: Readonly<Partial<Record<AccountFieldKind, Pick<FormField<string>, 'options' | 'inputMode'>>>> = {
  money: { inputMode: 'decimal' },
  profit: { inputMode: 'decimal' },
  status: { options: optionsOf(accountStatuses, accountStatusLabels) },
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

export const identityFields: readonly FormField<'fullName' | 'email'>[] = [
  { name: 'fullName', label: 'Full Name' },
  { name: 'email', label: 'Email', type: 'email' },
]

/** A user created by an administrator has no country yet. */
export const addressFields: readonly FormField<keyof UserValues>[] = [
  { name: 'country', label: 'Country', options: [{ value: '', label: 'Not set' }, ...countries] },
  { name: 'city', label: 'City' },
  { name: 'street', label: 'Street' },
  { name: 'houseNumber', label: 'House Number' },
]

export const statusFields = fieldsOf(accountForms.status)
export const platformFields = fieldsOf(accountForms.platform)
export const riskFields = fieldsOf(accountForms.risk)

interface FormFieldsProps<Values extends FieldValues> {
  readonly fields: readonly FormField<Path<Values>>[]
  readonly register: UseFormRegister<Values>
  readonly errors: FieldErrors<Values>
}

/** Some of the fields, side by side where there is room. */
export function FormFields<Values extends FieldValues>({ fields, register, errors }: FormFieldsProps<Values>) {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      {fields.map(({ name, label, options, ...input }) => {
        const message = errors[name]?.message
        const error = typeof message === 'string' ? message : undefined
        return options ? (
          <Select key={name} label={label} options={options} error={error} {...register(name)} />
        ) : (
          <TextInput key={name} label={label} autoComplete="off" spellCheck={false} error={error} {...input} {...register(name)} />
        )
      })}
    </div>
  )
}
