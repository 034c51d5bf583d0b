import type { FieldErrors, FieldValues, Path, UseFormRegister } from 'react-hook-form'
import { countries } from '../../../format/countries.ts'
import { type Option, Select, TextInput } from '../../../ui/field.tsx'
import type { AccountValues, UserValues } from './values.ts'

/** The fields about a user and the account, alike in every form that has them. */

interface FormField<Name> {
  readonly name: Name
  readonly label: string
  readonly options?: readonly Option[]
  readonly hint?: string
  readonly type?: 'email'
  readonly inputMode?: 'decimal'
}

const statuses = [
  { value: 'pending', label: 'Pending' },
  { value: 'active', label: 'Active' },
  { value: 'under-review', label: 'Under Review' },
  { value: 'breached', label: 'Breached' },
]
const payouts = [
  { value: 'true', label: 'Enabled' },
  { value: 'false', label: 'Disabled' },
]

export const identityFields: readonly FormField<'fullName' | 'email'>[] = [
  { name: 'fullName', label: 'Full Name' },
  { name: 'email', label: 'Email', type: 'email' },
]

/** A person made by an administrator has no country until somebody tells it. */
export const addressFields: readonly FormField<keyof UserValues>[] = [
  { name: 'country', label: 'Country', options: [{ value: '', label: 'Not set' }, ...countries] },
  { name: 'city', label: 'City' },
  { name: 'street', label: 'Street' },
  { name: 'houseNumber', label: 'House Number' },
]

export const statusFields: readonly FormField<keyof AccountValues>[] = [
  { name: 'status', label: 'Account Status', options: statuses },
  { name: 'payoutEnabled', label: 'Payouts Enabled', options: payouts },
  { name: 'balance', label: 'Balance', inputMode: 'decimal', hint: 'US dollars' },
  { name: 'profitLoss', label: 'Profit/Loss', inputMode: 'decimal', hint: 'US dollars, with a minus sign below zero' },
]

export const platformFields: readonly FormField<'login' | 'masterPassword' | 'server' | 'phase'>[] = [
  { name: 'login', label: 'Login' },
  { name: 'masterPassword', label: 'Master Password' },
  { name: 'server', label: 'Server' },
  { name: 'phase', label: 'Phase', hint: 'Such as Phase 1, Evaluation, Funded' },
]

export const riskFields: readonly FormField<'dailyDrawdownLimit' | 'overallLossLimit' | 'profitTarget'>[] = [
  { name: 'dailyDrawdownLimit', label: 'Daily Drawdown Limit', hint: 'Such as 5% / $500' },
  { name: 'overallLossLimit', label: 'Overall Loss Limit', hint: 'Such as 10% / $1000' },
  { name: 'profitTarget', label: 'Profit Target', hint: 'Such as 1000' },
]

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
