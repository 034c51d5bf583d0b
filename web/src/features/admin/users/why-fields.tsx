import { useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { breachRuleLabels, breachRules, optionsOf } from '../../../../../services/api/vocabulary.ts'
import { Select, TextArea, TextInput } from '../../../ui/field.tsx'
import { FormSection } from './form-dialog.tsx'
import { type AccountBefore, type WhyRequirements, hasWhyRequirements, limitFor, toLocalInput, type WhyValues } from './why.ts'

interface WhyFieldsProps {
  readonly before: AccountBefore
  readonly asked: WhyRequirements
}

const ruleOptions = optionsOf(breachRules, breachRuleLabels)

/** Asks why, as far as a change has to be explained; within a form that holds the answers. */
export function WhyFields({ before, asked }: WhyFieldsProps) {
  const { register, formState, getValues, setValue } = useFormContext<WhyValues>()
  const [now] = useState(() => toLocalInput(new Date()))
  const { errors } = formState
  if (!hasWhyRequirements(asked)) return null
  const fillLimit = (rule: string) => {
    const { limit } = getValues('evidence')
    const isOurs = limit === '' || breachRules.some((known) => limitFor(known, before.limits) === limit)
    if (isOurs) setValue('evidence.limit', limitFor(rule, before.limits))
  }
  return (
    <FormSection title="Why">
      <div className="flex flex-col gap-4">
        <p className="rounded-md border border-line bg-sunken px-4 py-2 text-13">
          The trader reads all of this on the dashboard, and it stays on record for good. Name no other person.
        </p>
        {asked.ending !== undefined && (
          <Select
            label="Was the breach a mistake?"
            placeholder="Please choose"
            options={[
              { value: 'yes', label: `Yes, this corrects #${asked.ending}` },
              { value: 'no', label: 'No, it was right and ends now' },
            ]}
            data-autofocus
            hint={`The breach, fact #${asked.ending}, stays on record either way.`}
            error={errors.mistake?.message}
            {...register('mistake')}
          />
        )}
        {asked.evidence && (
          <div className="grid items-start gap-4 sm:grid-cols-2">
            <Select
              label="Rule"
              placeholder="Please choose"
              options={ruleOptions}
              data-autofocus
              error={errors.evidence?.rule?.message}
              {...register('evidence.rule', { onChange: (event: { target: { value: string } }) => fillLimit(event.target.value) })}
            />
            <TextInput
              label="When it happened"
              type="datetime-local"
              max={now}
              hint="In your own time"
              error={errors.evidence?.occurredAt?.message}
              {...register('evidence.occurredAt')}
            />
            <TextInput label="Limit" autoComplete="off" hint="Such as 5% / $500" error={errors.evidence?.limit?.message} {...register('evidence.limit')} />
            <TextInput
              label="Value that broke it"
              autoComplete="off"
              hint="Such as -$512.40 on the day"
              error={errors.evidence?.value?.message}
              {...register('evidence.value')}
            />
          </div>
        )}
        <TextArea label="Reason" maxLength={2000} data-autofocus error={errors.reason?.message} {...register('reason')} />
      </div>
    </FormSection>
  )
}
