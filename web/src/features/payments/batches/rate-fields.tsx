import { exchanged } from '#services/rules/exchange-rate.ts'
import { toDecimal } from '#services/rules/money.ts'
import type { AdminPayout } from '#services/payments/payouts/payout-api.ts'
import { centsOf, formatAmount, formatMoney } from '@/format/money.ts'
import { Checkbox, TextInput } from '@/ui/field.tsx'
import { euroForDollar } from './typed-rate.ts'

interface RateFieldsProps {
  /** As typed: dollars for one euro, the way that everybody quotes it. */
  readonly typed: string
  readonly onType: (typed: string) => void
  readonly source: string
  readonly onSource: (source: string) => void
  /** The figures have to be confirmed. */
  readonly mustConfirm: boolean
  readonly isConfirmed: boolean
  readonly onConfirm: (isConfirmed: boolean) => void
  readonly errors: Readonly<Record<string, string>>
  /** The first payment of the batch: it is worked out. */
  readonly first: AdminPayout | undefined
}

/** The rate of a batch in euro, with what it does to the first payment. */
export function RateFields({
  typed,
  onType,
  source,
  onSource,
  mustConfirm,
  isConfirmed,
  onConfirm,
  errors,
  first,
}: RateFieldsProps) {
  const rate = euroForDollar(typed)
  return (
    <>
      <TextInput
        label="1 EUR = … USD"
        inputMode="decimal"
        autoComplete="off"
        placeholder="1.0850"
        value={typed}
        error={
          errors['rate'] ??
          (typed !== '' && rate === undefined ? 'Please enter dollars for one euro, such as 1.0850' : undefined)
        }
        onChange={({ target }) => onType(target.value)}
      />
      {rate !== undefined && (
        <p role="status" className="-mt-2 text-13">
          1 EUR = {typed.trim()} USD, so 1 USD = {rate} EUR.
          {first && ` ${first.user.fullName}: ${inBoth(first, rate)}.`}
        </p>
      )}
      {mustConfirm && (
        <Checkbox
          label="These figures are right"
          hint="A rate the wrong way round pays everybody about a sixth too much or too little."
          checked={isConfirmed}
          onChange={({ target }) => onConfirm(target.checked)}
        />
      )}
      <TextInput
        label="Source of the rate"
        hint="For example the bank's page, with its date"
        autoComplete="off"
        value={source}
        error={errors['rateSource']}
        onChange={({ target }) => onSource(target.value)}
      />
    </>
  )
}

function inBoth({ traderReceives, amount }: AdminPayout, rate: string): string {
  const dollars = traderReceives ?? amount
  return `${formatMoney(dollars)} becomes ${formatAmount(toDecimal(exchanged(centsOf(dollars), rate)), 'EUR')}`
}
