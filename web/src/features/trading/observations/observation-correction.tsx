import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { AccountObservation } from '#services/trading/observations/observation-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { Select, TextArea, TextInput } from '@/ui/field.tsx'
import { fieldsOf, observationFrom, textsOf } from './observation-fields.ts'
import { correctObservation } from './observation-queries.ts'

interface ObservationCorrectionProps {
  /** The account that it is of. */
  readonly account: string
  readonly observed: Pick<AccountObservation, 'id' | 'observation'>
  readonly onClose: () => void
}

const effects = [
  { value: 'replace', label: 'Correct it' },
  { value: 'remove', label: 'Take it away' },
] as const

/** Corrects one observation, or takes it away. What it said stays in the audit. */
export function ObservationCorrection({ account, observed: { id, observation }, onClose }: ObservationCorrectionProps) {
  const [texts, setTexts] = useState(() => textsOf(observation))
  const [reason, setReason] = useState('')
  const [effect, setEffect] = useState<'replace' | 'remove'>('replace')
  const change = useMutation(correctObservation)
  const errors = change.error instanceof ApiError ? change.error.fields : {}
  const isRemoved = effect === 'remove'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const to = isRemoved ? null : observationFrom(observation, texts)
    change.mutate({ account, id, observation: to, reason: reason.trim() }, { onSuccess: onClose })
  }
  return (
    <FormDialog
      title="Correct Observation"
      description="The rules are evaluated again from here on. The trader sees the correction and its reason."
      submit={isRemoved ? 'Take It Away' : 'Save Correction'}
      width="large"
      dangerous={isRemoved}
      change={change}
      disabled={reason.trim() === ''}
      onSubmit={submit}
      onClose={onClose}
    >
      <Select
        label="What happens"
        options={effects}
        value={effect}
        error={errors['observation']}
        onChange={({ target }) => setEffect(target.value === 'remove' ? 'remove' : 'replace')}
      />
      {!isRemoved && (
        <div className="grid gap-5 sm:grid-cols-2">
          {fieldsOf(observation.kind).map(({ name, label }) => (
            <TextInput
              key={name}
              label={label}
              autoComplete="off"
              value={texts[name] ?? ''}
              error={errors[`observation.${name}`]}
              onChange={({ target }) => setTexts((before) => ({ ...before, [name]: target.value }))}
            />
          ))}
        </div>
      )}
      <TextArea
        label="Reason"
        value={reason}
        maxLength={2000}
        error={errors['reason']}
        onChange={({ target }) => setReason(target.value)}
      />
    </FormDialog>
  )
}
