import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { observation } from '#services/rules/observation.ts'
import type { AccountObservation } from '#services/trading/observations/observation-api.ts'
import { observationInWords } from '#services/trading/stream/observation-descriptions.ts'
import { ApiError } from '@/api/api-error.ts'
import { formatDate } from '@/format/dates.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { Select, TextArea, TextInput } from '@/ui/field.tsx'
import { fieldsOf, observationFrom, type ObservationFieldName, textsOf } from './observation-fields.ts'
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

const sides = [
  { value: '', label: 'Not known' },
  { value: 'buy', label: 'Buy' },
  { value: 'sell', label: 'Sell' },
] as const

const INSTANT = 'In UTC, like 2026-11-26T10:13:00Z'
const hints: Readonly<Partial<Record<ObservationFieldName, string>>> = { at: INSTANT, openedAt: INSTANT }

/** "Trade T1 closed 26 Nov 2026, 10:13:00 UTC", so that nobody corrects another row than the one opened. */
function lineAbout(written: AccountObservation['observation']): string {
  const { data } = observation.safeParse(written)
  const at = data?.kind === 'day' ? formatDate(data.date, 'date') : formatDate(written.at, 'exact')
  return `${data ? observationInWords(data).what : written.kind} ${at}`
}

/** Corrects one observation, or takes it away. What it said stays in the audit. */
export function ObservationCorrection({
  account,
  observed: { id, observation: written },
  onClose,
}: ObservationCorrectionProps) {
  const [texts, setTexts] = useState(() => textsOf(written))
  const [reason, setReason] = useState('')
  const [effect, setEffect] = useState<'replace' | 'remove'>('replace')
  const change = useMutation(correctObservation)
  const errors = change.error instanceof ApiError ? change.error.fields : {}
  const isRemoved = effect === 'remove'
  const isChanged = isRemoved || JSON.stringify(texts) !== JSON.stringify(textsOf(written))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const to = isRemoved ? null : observationFrom(written, texts)
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
      disabled={reason.trim() === '' || !isChanged}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="font-medium [overflow-wrap:anywhere]">{lineAbout(written)}</p>
      <Select
        label="What happens"
        options={effects}
        value={effect}
        error={errors['observation']}
        onChange={({ target }) => setEffect(target.value === 'remove' ? 'remove' : 'replace')}
      />
      {!isRemoved && (
        <div className="grid gap-5 sm:grid-cols-2">
          {fieldsOf(written.kind).map(({ name, label }) => {
            const field = {
              ...{ label, value: texts[name] ?? '', error: errors[`observation.${name}`] },
              onChange: ({ target }: { readonly target: { readonly value: string } }) =>
                setTexts((before) => ({ ...before, [name]: target.value })),
            }
            return name === 'side' ? (
              <Select key={name} {...field} options={sides} />
            ) : (
              <TextInput key={name} {...field} autoComplete="off" hint={hints[name]} />
            )
          })}
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
