import { optionsOf } from '#services/framework/api/options.ts'
import {
  chosenRejectionCodes,
  type RejectionCode,
  rejectionCodeLabels,
} from '#services/trading/stream/rejection-vocabulary.ts'
import { Checkbox, Select } from '@/ui/field.tsx'
import { EvidencePicker } from './evidence-picker.tsx'
import { mayForfeit, type TypedReasons } from './rejection-reasons.ts'

interface RejectionFieldsProps {
  readonly typed: TypedReasons
  readonly onChange: (typed: TypedReasons) => void
  /** The account whose findings and observations may be named; undefined where several are decided at once. */
  readonly account?: string
  /** In words: '$250.00', or 'these amounts'. */
  readonly amount: string
  readonly needsTwo: boolean
  readonly disabled?: boolean
}

/** The reason of a rejection, what shows it, and what becomes of the money. */
export function RejectionFields({
  typed,
  onChange,
  account,
  amount,
  needsTwo,
  disabled = false,
}: RejectionFieldsProps) {
  const choose = (code: RejectionCode | undefined) =>
    code && onChange({ ...typed, code, isForfeited: typed.isForfeited && mayForfeit(code) })
  return (
    <>
      <Select
        label="Reason"
        hint="The trader reads it with the notes."
        options={options}
        value={typed.code}
        disabled={disabled}
        onChange={({ target }) => choose(chosenRejectionCodes.find((code) => code === target.value))}
      />
      {account !== undefined && typed.code !== 'other' && (
        <EvidencePicker
          account={account}
          chosen={typed.evidence}
          onChange={(evidence) => onChange({ ...typed, evidence })}
        />
      )}
      {mayForfeit(typed.code) && (
        <Checkbox
          label={`Take ${amount} out of the account`}
          hint={`Without it the amount stays available.${needsTwo ? ' Two members of staff have to do it.' : ''}`}
          checked={typed.isForfeited}
          disabled={disabled}
          onChange={({ target }) => onChange({ ...typed, isForfeited: target.checked })}
        />
      )}
    </>
  )
}

const options = optionsOf(chosenRejectionCodes, rejectionCodeLabels)
