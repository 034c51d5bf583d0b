import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import {
  type BatchCurrency,
  batchCurrencies,
  type BatchFormat,
  batchFormatLabels,
  batchFormats,
} from '#services/modules/batches/batch-vocabulary.ts'
import type { PayoutMethod } from '#services/modules/payouts/payout-api.ts'
import { payoutMethodLabels, payoutMethods } from '#services/modules/payouts/payout-vocabulary.ts'
import { optionsOf } from '#services/api/options.ts'
import { ApiError } from '@/api/api-error.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { formatCount } from '@/format/counts.ts'
import { formatMoney } from '@/format/money.ts'
import { Checkbox, Select, TextInput } from '@/ui/field.tsx'
import { EmptyState, ErrorState, LoadingLines } from '@/ui/states.tsx'
import { makeBatch, openPayoutsQuery } from './batch-queries.ts'

/** How a format pays; the plain list takes any method. */
const methodOf: Readonly<Record<BatchFormat, PayoutMethod | undefined>> = {
  'pain.001': 'bank',
  wise: 'bank',
  paypal: 'paypal',
  crypto: 'crypto',
  csv: undefined,
}

/** Collects approved payouts in a batch: what to write, in which currency, and which payments. */
export function NewBatchDialog({ onClose }: { readonly onClose: () => void }) {
  const [format, setFormat] = useState<BatchFormat>('pain.001')
  const [plainMethod, setPlainMethod] = useState<PayoutMethod>('skrill')
  const [chosenCurrency, setCurrency] = useState<BatchCurrency>('USD')
  const [rate, setRate] = useState('')
  const [rateSource, setRateSource] = useState('')
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const method = methodOf[format] ?? plainMethod
  const currency = format === 'pain.001' ? 'EUR' : chosenCurrency
  const payouts = useQuery(openPayoutsQuery(method))
  const change = useMutation(makeBatch)
  const navigate = useNavigate()
  const waiting = payouts.data?.items.filter(({ hold }) => !hold) ?? []
  const taken = waiting.flatMap(({ id }) => (left.has(id) ? [] : [id]))
  const errors = change.error instanceof ApiError ? change.error.fields : {}
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(
      { format, currency, payouts: taken, ...(currency === 'EUR' && { rate: rate.trim(), rateSource }) },
      {
        onSuccess: ({ id }) => void navigate({ to: '/admin/payouts/batches/$id', params: { id }, ignoreBlocker: true }),
      },
    )
  }
  return (
    <FormDialog
      title="New Batch"
      submit={`Make Batch of ${formatCount(taken.length)}`}
      change={change}
      disabled={taken.length === 0}
      onSubmit={submit}
      onClose={onClose}
    >
      <Select
        label="Format"
        options={optionsOf(batchFormats, batchFormatLabels)}
        value={format}
        onChange={({ target }) => setFormat(batchFormats.find((each) => each === target.value) ?? format)}
      />
      {format === 'csv' && (
        <Select
          label="Payment Method"
          options={optionsOf(payoutMethods, payoutMethodLabels)}
          value={plainMethod}
          onChange={({ target }) => setPlainMethod(payoutMethods.find((each) => each === target.value) ?? plainMethod)}
        />
      )}
      {format !== 'pain.001' && (
        <Select
          label="Currency"
          options={batchCurrencies.map((value) => ({ value, label: value }))}
          value={currency}
          onChange={({ target }) => setCurrency(batchCurrencies.find((each) => each === target.value) ?? currency)}
        />
      )}
      {currency === 'EUR' && (
        <>
          <TextInput
            label="Euro for one dollar"
            inputMode="decimal"
            autoComplete="off"
            value={rate}
            error={errors['rate']}
            onChange={({ target }) => setRate(target.value)}
          />
          <TextInput
            label="Source of the rate"
            hint="For example the bank's page, with its date"
            autoComplete="off"
            value={rateSource}
            error={errors['rateSource']}
            onChange={({ target }) => setRateSource(target.value)}
          />
        </>
      )}
      <fieldset className="min-w-0">
        <legend className="mb-3 text-14 font-semibold">Payments</legend>
        {payouts.isError ? (
          <ErrorState title="The payouts could not be loaded" error={payouts.error} onRetry={payouts.refetch} />
        ) : !payouts.data ? (
          <LoadingLines lines={4} label="Loading the payouts" />
        ) : waiting.length === 0 ? (
          <EmptyState title="Nothing to pay">
            No approved payout by {payoutMethodLabels[method]} is to be paid.
          </EmptyState>
        ) : (
          <div className="flex max-h-80 flex-col gap-2 overflow-y-auto">
            {waiting.map(({ id, user, traderReceives, amount }) => (
              <Checkbox
                key={id}
                label={`${user.fullName}, ${formatMoney(traderReceives ?? amount)}`}
                checked={!left.has(id)}
                onChange={({ target }) => setLeft(toggled(left, id, !target.checked))}
              />
            ))}
          </div>
        )}
      </fieldset>
    </FormDialog>
  )
}

function toggled(ids: ReadonlySet<string>, id: string, isIn: boolean): ReadonlySet<string> {
  const others = [...ids].filter((each) => each !== id)
  return new Set(isIn ? [...others, id] : others)
}
