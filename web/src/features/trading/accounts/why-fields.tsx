import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Path, RegisterOptions } from 'react-hook-form'
import { optionsOf } from '#services/framework/api/options.ts'
import type { UserDetails } from '#services/trading/traders/trader-api.ts'
import { breachRuleLabels, breachRules } from '#services/trading/stream/account-vocabulary.ts'
import type { FieldProps } from '@/form/api-form.ts'
import { FormSection } from '@/form/form-dialog.tsx'
import { formatMoney } from '@/format/money.ts'
import { Button } from '@/ui/button.tsx'
import { Select, TextArea, TextInput } from '@/ui/field.tsx'
import { standingOfAccount, userHistoryQuery } from './staff-account-queries.ts'
import { ruleOf } from './standing.ts'
import {
  type AccountAfter,
  type AccountBefore,
  asksForRecord,
  limitFor,
  toLocalInput,
  whyRequirementsFor,
  type WhyValues,
} from './why.ts'

interface WhyFieldsProps {
  /** Undefined for one who is just added. */
  readonly user: UserDetails | undefined
  readonly before: AccountBefore
  readonly values: WhyValues & AccountAfter
  /** The function of `useApiForm`. */
  readonly field: (name: Path<WhyValues>, options?: Pick<RegisterOptions<WhyValues>, 'onChange' | 'deps'>) => FieldProps
  readonly change: (name: `evidence.${keyof WhyValues['evidence']}`, value: string) => void
}

const ruleOptions = optionsOf(breachRules, breachRuleLabels)

/**
 * Files would be copies of personal data outside the log, to be erased with it: a place where the trader can look is
 * enough.
 */
const reasonHint = 'May name where the trader finds the trades: a ticket, a report, an address.'

/** Asks why, where a change has to be explained. */
export function WhyFields({ user, before, values, field, change }: WhyFieldsProps) {
  const [now] = useState(() => toLocalInput(new Date()))
  const requirements = whyRequirementsFor(before, values)
  const recordedLoss = useRecordedLoss(user, requirements?.evidence === true)
  const { lastChangeAt } = recordedLoss
  if (!requirements) return null
  const { rule, limit, value, occurredAt } = values.evidence
  const lossFor = (ofRule: string, when: string) => recordedLoss.of(ofRule, Date.parse(when))
  const recorded = lossFor(rule, occurredAt)
  /** The recorded loss, unless another value was typed. */
  const suggestLoss = (suggestion: string) => {
    if (value === '' || value === recorded) change('evidence.value', suggestion)
  }
  const ruleChosen = (chosen: string) => {
    const isOurs = limit === '' || breachRules.some((known) => limitFor(known, before) === limit)
    if (isOurs) change('evidence.limit', limitFor(chosen, before))
    suggestLoss(lossFor(chosen, occurredAt))
  }
  const momentChosen = (moment: string) => suggestLoss(lossFor(rule, moment))
  const chooseMoment = (moment: Date) => {
    change('evidence.occurredAt', toLocalInput(moment))
    momentChosen(toLocalInput(moment))
  }
  return (
    <FormSection title="Why">
      <div className="flex flex-col gap-4">
        <p className="rounded-md border border-line bg-sunken px-4 py-2 text-13">
          The trader reads all of this on the dashboard, and it stays on record for good. Name no other person.
        </p>
        {requirements.ending !== undefined && (
          <Select
            label="Was the breach a mistake?"
            placeholder="Please choose"
            options={[
              { value: 'yes', label: `Yes, this corrects #${requirements.ending}` },
              { value: 'no', label: 'No, it was right and ends now' },
            ]}
            hint={`The breach, event #${requirements.ending}, stays on record either way.`}
            {...field('mistake', { deps: 'reason' })}
          />
        )}
        {requirements.evidence && (
          <div className="grid items-start gap-4 sm:grid-cols-2">
            <Select
              label="Rule"
              placeholder="Please choose"
              options={ruleOptions}
              {...field('evidence.rule', { onChange: ({ target }) => ruleChosen(target.value) })}
            />
            <div>
              <TextInput
                label="When it happened"
                type="datetime-local"
                max={now}
                hint="In your own time"
                {...field('evidence.occurredAt', { onChange: ({ target }) => momentChosen(target.value) })}
              />
              <div className="mt-1 flex flex-wrap gap-2">
                <MomentButton text="Now" onChoose={() => chooseMoment(new Date())} />
                {lastChangeAt !== undefined && (
                  <MomentButton
                    text="Last change of the balance"
                    onChoose={() => chooseMoment(new Date(lastChangeAt))}
                  />
                )}
              </div>
            </div>
            <TextInput label="Limit" autoComplete="off" hint="Such as 5% / $500" {...field('evidence.limit')} />
            <TextInput
              label="Value that broke it"
              autoComplete="off"
              hint={recorded === '' ? 'Such as -$512.40 on the day' : `On record: ${recorded}`}
              {...field('evidence.value')}
            />
            {asksForRecord(rule) && before && (
              <Select
                label="Does the record show it?"
                options={[
                  { value: '', label: 'Yes' },
                  { value: 'lacks', label: 'No, and the reason says why' },
                ]}
                hint="Such as the loss of open positions, which no balance shows"
                {...field('evidence.record', { deps: 'evidence.value' })}
              />
            )}
          </div>
        )}
        <TextArea
          label="Reason"
          hint={requirements.evidence ? reasonHint : undefined}
          maxLength={2000}
          {...field('reason')}
        />
      </div>
    </FormSection>
  )
}

function MomentButton({ text, onChoose }: { readonly text: string; readonly onChoose: () => void }) {
  return (
    <Button look="secondary" className="h-7! px-2! text-12!" onClick={onChoose}>
      {text}
    </Button>
  )
}

interface RecordedLoss {
  /**
   * The loss on record for a rule, as the server says it, in the words of a breach's evidence; empty where there is
   * none. `at` is in ms, NaN means now; what was lost overall is always as of now.
   */
  readonly of: (rule: string, at: number) => string
  /** When the balance last changed, in ms; undefined where that is unknown. */
  readonly lastChangeAt: number | undefined
}

/** Reads what an account lost, once a breach is asked about. Nothing is known before the answer, or of a new user. */
function useRecordedLoss(user: UserDetails | undefined, enabled: boolean): RecordedLoss {
  const account = user?.tradingAccount?.id
  const isAsked = enabled && account !== undefined
  const history = useQuery({ ...userHistoryQuery(user?.id ?? '', account), enabled: isAsked })
  const standing = useQuery({ ...standingOfAccount(account ?? ''), enabled: isAsked })
  const last = history.data?.points.at(-1)?.at
  const of: RecordedLoss['of'] = (rule, at) => {
    if (rule === 'overall-loss') {
      const lost = standing.data && ruleOf(standing.data, 'overallLossLimit')?.lost
      return asLoss(lost && `-${lost}`, 'in total')
    }
    if (rule !== 'daily-drawdown') return ''
    const moment = Number.isNaN(at) ? Date.now() : at
    const { days, calendar } = history.data ?? {}
    if (calendar) {
      const day = calendar.days.find(
        ({ startsAt, endsAt }) => Date.parse(startsAt) <= moment && moment < Date.parse(endsAt),
      )
      return asLoss(day?.result, `on the trading day (${calendar.zone})`)
    }
    const date = new Date(moment).toISOString().slice(0, 10)
    return asLoss(days?.find((day) => day.date === date)?.result, 'on the day (UTC)')
  }
  return { of, lastChangeAt: last === undefined ? undefined : Date.parse(last) }
}

function asLoss(result: string | null | undefined, when: string): string {
  return Number(result) < 0 ? `${formatMoney(result)} ${when}` : ''
}
