import { useMutation, useQuery, useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { optionsOf } from '#services/framework/api/options.ts'
import { BatchRefusal } from '#services/payments/batches/batch-api.ts'
import {
  type BatchCurrency,
  batchCurrencies,
  type BatchFormat,
  batchFormatLabels,
  batchFormats,
} from '#services/payments/batches/batch-vocabulary.ts'
import type { AdminPayout } from '#services/payments/payouts/payout-api.ts'
import type { PayoutMethod } from '#services/trading/stream/payout-fields.ts'
import { payoutMethodLabels, payoutMethods, paymentStateLabels } from '#services/trading/stream/payout-vocabulary.ts'
import { ApiError } from '@/api/api-error.ts'
import { totalsInWords } from '@/features/payments/payouts/payout-rows.ts'
import { payoutTotalsQuery } from '@/features/payments/payouts/staff-payout-queries.ts'
import { FormDialog } from '@/form/form-dialog.tsx'
import { counted, formatCount } from '@/format/counts.ts'
import { formatAmount, formatMoney } from '@/format/money.ts'
import { Button } from '@/ui/button.tsx'
import { Select, Checkbox } from '@/ui/field.tsx'
import { EmptyState, ErrorState, LoadingLines } from '@/ui/states.tsx'
import { RateFields } from './rate-fields.tsx'
import { euroForDollar } from './typed-rate.ts'
import {
  batchesQuery,
  batchPageOf,
  firmAccountQuery,
  makeBatch,
  owedPayoutsQuery,
  owedStates,
} from './batch-queries.ts'

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
  const [typedRate, setTypedRate] = useState('')
  const [isConfirmed, setConfirmed] = useState(false)
  const [rateSource, setRateSource] = useState('')
  const method = methodOf[format] ?? plainMethod
  const currency = format === 'pain.001' ? 'EUR' : chosenCurrency
  const choice = usePaymentChoice(method)
  const rate = currency === 'EUR' ? euroForDollar(typedRate) : undefined
  const total = useTotal(choice.taken, rate)
  const firm = useQuery(firmAccountQuery)
  const change = useMutation(makeBatch)
  const navigate = useNavigate()
  const lacksAccount = format === 'pain.001' && firm.data?.account === null
  const errors = change.error instanceof ApiError ? change.error.fields : {}
  const before = useQuery(batchesQuery(batchPageOf({})))
  const isFirst = before.data?.items.every((each) => each.currency === 'USD') ?? false
  // Nothing to compare the first rate ever with, or the server does not believe it.
  const mustConfirm = rate !== undefined && (isFirst || errors['rate'] !== undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(
      {
        ...{ format, currency, payouts: choice.taken },
        ...(currency === 'EUR' && { rate: rate ?? '', rateSource, ...(isConfirmed && { rateConfirmed: true }) }),
      },
      {
        onSuccess: ({ id }) => void navigate({ to: '/admin/payouts/batches/$id', params: { id }, ignoreBlocker: true }),
      },
    )
  }
  return (
    <FormDialog
      title="New Batch"
      description={
        choice.taken.length === 0
          ? 'Approved payouts of one method that leave in one file.'
          : `${counted(choice.taken.length, 'payment')}${total}. Ctrl Enter makes the batch.`
      }
      submit={`Make Batch of ${formatCount(choice.taken.length)}`}
      change={change}
      disabled={choice.taken.length === 0 || lacksAccount || (mustConfirm && !isConfirmed)}
      onSubmit={submit}
      onClose={onClose}
    >
      <Problems
        error={change.error}
        asked={change.variables?.payouts ?? []}
        onLeaveOut={(ids) => {
          choice.leaveOut(ids)
          change.reset()
        }}
      />
      <Select
        label="Format"
        options={optionsOf(batchFormats, batchFormatLabels)}
        value={format}
        error={lacksAccount ? "Set the Firm's Account first: the bank's file names it" : undefined}
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
        <RateFields
          typed={typedRate}
          onType={(typed) => {
            setTypedRate(typed)
            setConfirmed(false)
            change.reset()
          }}
          source={rateSource}
          onSource={setRateSource}
          mustConfirm={mustConfirm}
          isConfirmed={isConfirmed}
          onConfirm={setConfirmed}
          errors={errors}
          first={choice.taken[0]}
        />
      )}
      <PaymentChoice choice={choice} method={payoutMethodLabels[method]} error={errors['payouts']} />
    </FormDialog>
  )
}

/** Returns the total of payments in words: in dollars, and at a rate in euro. */
function useTotal(payouts: readonly AdminPayout[], rate: string | undefined): string {
  // A query of its own, so that the dollars stay on the screen while a rate is typed.
  const dollars = useQuery(payoutTotalsQuery(payouts))
  const { data = dollars.data, isError } = useQuery(payoutTotalsQuery(payouts, rate))
  return totalsInWords({ data, isError }, ({ traderReceives, euro }) =>
    [formatMoney(traderReceives), ...(euro === null ? [] : [`in euro ${formatAmount(euro, 'EUR')}`])].join(', '),
  )
}

interface ProblemsProps {
  readonly error: Error | null
  /** The payouts of the batch that was not made, as they were shown. */
  readonly asked: readonly AdminPayout[]
  readonly onLeaveOut: (ids: readonly string[]) => void
}

/** Which payouts do not fit into the batch, and why. */
function Problems({ error, asked, onLeaveOut }: ProblemsProps) {
  const { data: refusal } = BatchRefusal.safeParse(error instanceof ApiError ? error.content : undefined)
  if (!refusal) return null
  const { problems } = refusal
  return (
    <section aria-label="Payouts that do not fit" className="rounded-md border border-bad/40 bg-bad-soft px-4 py-3">
      <p className="flex flex-wrap items-center justify-between gap-2 text-13 text-bad">
        Nothing was made. {problems.length === 1 ? 'One payout does' : `${formatCount(problems.length)} payouts do`} not
        fit.
        <Button look="secondary" onClick={() => onLeaveOut(problems.map(({ payoutId }) => payoutId))}>
          Leave {problems.length === 1 ? 'it' : 'them'} out
        </Button>
      </p>
      <ul className="mt-2 flex flex-col gap-1 text-13">
        {problems.map(({ payoutId, reason }) => {
          const payout = asked.find(({ id }) => id === payoutId)
          return (
            <li key={payoutId} className="[overflow-wrap:anywhere]">
              <span className="font-medium">
                {payout ? `${payout.user.fullName}, ${formatMoney(amountOf(payout))}` : payoutId}
              </span>
              : {reason}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** Which payments a new batch takes. */
interface PaymentChoiceState {
  /** To be made, the oldest first: all are taken unless left out. */
  readonly open: readonly AdminPayout[]
  /** Did not arrive: none is taken unless chosen, for the same destination may fail again. */
  readonly again: readonly AdminPayout[]
  readonly taken: readonly AdminPayout[]
  readonly isTaken: (payout: AdminPayout) => boolean
  readonly toggle: (payout: AdminPayout) => void
  readonly toggleAll: (payouts: readonly AdminPayout[]) => void
  readonly leaveOut: (ids: readonly string[]) => void
  /** How many are on hold: no batch takes them. */
  readonly held: number
  /** There are more than are listed. */
  readonly isCut: boolean
  readonly isLoading: boolean
  readonly failure: Error | undefined
  readonly retry: () => void
}

/** The payments of a method that a batch may take, and the choice among them. */
function usePaymentChoice(method: PayoutMethod): PaymentChoiceState {
  /** The payouts whose box is not as it was at first. */
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set())
  const answers = useQueries({ queries: owedStates.map((state) => owedPayoutsQuery(method, state)) })
  const owed = answers.flatMap(({ data }) => data?.items ?? [])
  const all = owed.filter(({ hold }) => !hold)
  const isTaken = (payout: AdminPayout) => isOpen(payout) !== changed.has(payout.id)
  const set = (payouts: readonly AdminPayout[], to: boolean) => {
    const next = new Set(changed)
    for (const payout of payouts)
      if (isOpen(payout) === to) next.delete(payout.id)
      else next.add(payout.id)
    setChanged(next)
  }
  return {
    open: all.filter(isOpen),
    again: all.filter((payout) => !isOpen(payout)),
    taken: all.filter(isTaken),
    isTaken,
    toggle: (payout) => set([payout], !isTaken(payout)),
    toggleAll: (payouts) => set(payouts, !payouts.every(isTaken)),
    leaveOut: (ids) =>
      set(
        all.filter(({ id }) => ids.includes(id)),
        false,
      ),
    held: owed.length - all.length,
    isCut: answers.some(({ data }) => data?.next !== undefined),
    isLoading: answers.some(({ isPending, isPlaceholderData }) => isPending || isPlaceholderData),
    failure: answers.find(({ isError, data }) => isError && !data)?.error ?? undefined,
    retry: () => answers.forEach(({ refetch }) => void refetch()),
  }
}

function isOpen({ payment }: AdminPayout): boolean {
  return payment?.state === 'open'
}

/** Returns the amount that the trader receives. */
function amountOf({ traderReceives, amount }: AdminPayout): string {
  return traderReceives ?? amount
}

interface PaymentChoiceProps {
  readonly choice: PaymentChoiceState
  /** The name of the payment method. */
  readonly method: string
  readonly error: string | undefined
}

/** The payments that a batch may take, each with a box. */
function PaymentChoice({ choice, method, error }: PaymentChoiceProps) {
  const { open, again, held, isCut, isLoading, failure, retry } = choice
  if (failure) return <ErrorState title="The payouts could not be loaded" error={failure} onRetry={retry} />
  if (isLoading) return <LoadingLines lines={4} label="Loading the payouts" />
  return (
    <>
      {error !== undefined && <p className="text-13 text-bad">{error}</p>}
      {open.length > 0 && <Payments title="To be paid" payouts={open} choice={choice} />}
      {again.length > 0 && <Payments title="Failed or returned" payouts={again} choice={choice} />}
      {open.length + again.length === 0 && (
        <EmptyState title="Nothing to pay">No approved payout by {method} is to be paid.</EmptyState>
      )}
      {isCut && (
        <p className="text-13 text-muted">There are more: these are the oldest. Make further batches of them.</p>
      )}
      {held > 0 && (
        <p className="text-13 text-muted">
          {counted(held, 'payment')} on hold {held === 1 ? 'is' : 'are'} not listed.
        </p>
      )}
    </>
  )
}

interface PaymentsProps {
  readonly title: string
  readonly payouts: readonly AdminPayout[]
  readonly choice: PaymentChoiceState
}

function Payments({ title, payouts, choice: { isTaken, toggle, toggleAll } }: PaymentsProps) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 text-14 font-semibold">{title}</legend>
      <Checkbox
        className="mb-2 border-b border-line pb-2"
        label={`All ${formatCount(payouts.length)}`}
        checked={payouts.every(isTaken)}
        onChange={() => toggleAll(payouts)}
      />
      <div className="flex flex-col gap-2">
        {payouts.map((payout) => (
          <Checkbox
            key={payout.id}
            label={`${payout.user.fullName}, ${formatMoney(amountOf(payout))}`}
            hint={whyAgain(payout)}
            checked={isTaken(payout)}
            onChange={() => toggle(payout)}
          />
        ))}
      </div>
    </fieldset>
  )
}

/** 'Failed: AC04. A new destination was given'; undefined for a first payment. */
function whyAgain({ payment, destinationChanges }: AdminPayout): string | undefined {
  if (!payment || payment.state === 'open') return undefined
  const state = paymentStateLabels[payment.state]
  const why = payment.reason ? `${state}: ${payment.reason}` : state
  const given = destinationChanges.at(-1)?.stamp.at
  return given !== undefined && given >= payment.at ? `${why}. A new destination was given` : why
}
