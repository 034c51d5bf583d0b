import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import type { AdminPayout } from '#services/payments/payouts/payout-api.ts'
import type { PayoutMethod } from '#services/trading/stream/payout-fields.ts'
import { paymentStateLabels } from '#services/trading/stream/payout-vocabulary.ts'
import { counted, formatCount } from '@/format/counts.ts'
import { formatMoney } from '@/format/money.ts'
import { Checkbox } from '@/ui/field.tsx'
import { EmptyState, ErrorState, LoadingLines } from '@/ui/states.tsx'
import { owedPayoutsQuery, owedStates } from './batch-queries.ts'

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
export function usePaymentChoice(method: PayoutMethod): PaymentChoiceState {
  /** Whose box is not as it was at first. */
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

/** What the trader receives. */
export function amountOf({ traderReceives, amount }: AdminPayout): string {
  return traderReceives ?? amount
}

interface PaymentChoiceProps {
  readonly choice: PaymentChoiceState
  /** The name of the payment method. */
  readonly method: string
  readonly error: string | undefined
}

/** The payments that a batch may take, each with a box. */
export function PaymentChoice({ choice, method, error }: PaymentChoiceProps) {
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

/** 'Failed: AC04'; undefined for a first payment. */
function whyAgain({ payment }: AdminPayout): string | undefined {
  if (!payment || payment.state === 'open') return undefined
  const state = paymentStateLabels[payment.state]
  return payment.reason ? `${state}: ${payment.reason}` : state
}
