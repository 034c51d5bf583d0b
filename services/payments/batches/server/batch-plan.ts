import { Refused } from '#services/event-sourcing/refusal.ts'
import type { AccountState } from '#services/trading/stream/account-aggregate.ts'
import type { BatchId, PayoutId } from '#services/framework/ids.ts'
import { movePayoutPayment, type Payout, type PayoutMethod } from '#services/trading/stream/payout.ts'
import { destinationOfAttempt, type Whereabouts } from '#services/trading/stream/payout-destination.ts'
import { payoutMethodLabels } from '#services/trading/stream/payout-vocabulary.ts'
import { exchanged } from '#services/rules/exchange-rate.ts'
import { toCents } from '#services/rules/money.ts'
import type { BatchProblem } from '../batch-api.ts'
import type { Batch, BatchItem } from '../batch.ts'
import type { BatchFormat } from '../batch-vocabulary.ts'
import { unfitFor } from '../files/payment-order.ts'

/** The format, the rate and the method of a batch to be made. */
export interface BatchTerms {
  readonly id: BatchId
  readonly format: BatchFormat
  /** Euro for one dollar; null for dollars. */
  readonly rate: string | null
  /** That of the first payout. */
  readonly method: PayoutMethod | undefined
}

/** The item of a payout in a batch. @throws {Refused} with the reason why it does not fit. */
export function plannedItem(
  state: AccountState,
  id: PayoutId,
  { id: batch, format, rate, method }: BatchTerms,
): BatchItem {
  const [event] = movePayoutPayment(state, id, { kind: 'enter-batch', batch })
  const payout = state.payouts.list.get(id)
  if (event?.type !== 'PaymentBatched' || !payout?.shares) throw new Error(`${id} is not approved`)
  if (payout.method !== method && method !== undefined)
    throw new Refused(
      'conflict',
      `It is paid by ${payoutMethodLabels[payout.method]}, the first one by ${payoutMethodLabels[method]}`,
    )
  const dollars = payout.shares.trader
  const amount = toCents(rate === null ? dollars : exchanged(dollars, rate))
  const unfit = unfitFor({ format, currency: rate === null ? 'USD' : 'EUR' }, { ...payout, amount })
  if (unfit !== undefined) throw new Refused('conflict', unfit)
  return { payoutId: id, reference: event.data.reference, amount }
}

/**
 * Where the payment of an item stands: in this batch, sent or further, or gone elsewhere. Two batches that are made at
 * the same moment plan the same reference, and one of them gets it.
 */
export function standingOf(
  payout: Payout | undefined,
  { reference }: Pick<BatchItem, 'reference'>,
  batch: BatchId,
): 'in-batch' | 'sent' | 'gone' {
  const payment = payout?.payment
  if (payment?.reference !== reference || payment.batch !== batch || payment.state === 'cancelled') return 'gone'
  // Two transfers would leave: the file does not have what staff sent themselves.
  if (payment.sentByHand) return 'gone'
  return payment.state === 'in-batch' ? 'in-batch' : 'sent'
}

/** The payments that do not fit into the file of their batch any more: rules came, or another destination. */
export function unfitItems(
  { format, currency, items }: Pick<Batch, 'format' | 'currency' | 'items'>,
  payouts: ReadonlyMap<PayoutId, Payout>,
): readonly BatchProblem[] {
  return items.flatMap(({ payoutId, amount }) => {
    const payout = payouts.get(payoutId)
    const reason = payout && unfitFor({ format, currency }, { ...payout, amount })
    return reason === undefined ? [] : [{ payoutId, reason }]
  })
}

/** Where the money went, or goes, under a reference: another destination may have been given since. */
export function whereSent(
  { id, ...payout }: Pick<Payout, 'id' | 'details' | 'destination' | 'former'>,
  reference: string,
): Whereabouts {
  return destinationOfAttempt(payout, Number(reference.slice(`${id}-`.length)))
}

/** Whether its person was deleted: nothing else cancels a payment. */
export function isCancelled({ payment }: Payout): boolean {
  return payment?.state === 'cancelled'
}

/** Why the payment of an item is not in its batch any more, as a sentence. */
export function whyGone(payout: Payout | undefined): string {
  if (!payout || isCancelled(payout)) return 'Its person was deleted'
  if (payout.status === 'rejected') return 'It was rejected'
  if (payout.hold) return `It is on hold: ${payout.hold.reason}`
  return payout.payment?.state === 'open' ? 'It left the batch' : 'It was recorded by hand'
}
