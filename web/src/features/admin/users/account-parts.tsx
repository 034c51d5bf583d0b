import { useFormContext, useWatch } from 'react-hook-form'
import { FormSection } from './form-dialog.tsx'
import { FormFields, platformFields, riskFields, statusFields } from './form-fields.tsx'
import type { AccountValues } from './values.ts'
import { type AccountBefore, whyRequirementsFor, whyFieldNames, type WhyValues } from './why.ts'
import { WhyFields } from './why-fields.tsx'

/** The parts of a form about a whole account, and why it changes; within a form that holds the values. */
export function AccountSections({ before }: { readonly before: AccountBefore }) {
  const { register, formState, control } = useFormContext<AccountValues & WhyValues>()
  const values = useWatch({ control })
  const { errors } = formState
  return (
    <>
      <FormSection title="Account status">
        <FormFields fields={statusFields} register={register} errors={errors} />
      </FormSection>
      <FormSection title="Trading platform">
        <FormFields fields={platformFields} register={register} errors={errors} />
      </FormSection>
      <FormSection title="Risk management">
        <FormFields fields={riskFields} register={register} errors={errors} />
      </FormSection>
      <WhyFields before={before} asked={whyRequirementsFor(before, values)} />
    </>
  )
}

/** The names of these parts' fields. */
export const accountFieldNames = [...[...statusFields, ...platformFields, ...riskFields].map(({ name }) => name), ...whyFieldNames]
