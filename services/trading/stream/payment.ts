import { z } from 'zod'
import { defineEvents, type AppendedEvent, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type PayoutId, payoutId } from '#services/framework/ids.ts'
import { exchanged } from '#services/rules/exchange-rate.ts'
import { type Cents, cents, centsAmount, toCents } from '#services/rules/money.ts'
import {
  payeeChecks,
  type PayeeCheck,
  type PaymentState,
  paymentStateLabels,
  paymentStates,
} from './payout-vocabulary.ts'

/** The payment axis of an approved payout: what may happen to its money. */

/** A payment has one of these states before a batch takes it, and again once it leaves its batch. */
const owed = z.enum(['open', 'failed', 'returned'])

/** The amount is what the trader receives. */
const payment = { payoutId, amount: cents, reference: z.string() }

/** What left in another currency: the amount in its cents, and euro for one dollar. */
const exchangedAmount = z.object({ currency: z.literal('EUR'), amount: cents, rate: z.string() })

export const paymentEvents = defineEvents({
  /** `attempt` counts the references that were given. */
  PaymentBatched: { payoutId, from: owed, batch: z.string(), attempt: z.int(), reference: z.string() },
  PaymentUnbatched: { payoutId, to: owed, batch: z.string(), reference: z.string() },
  /** By the release of its batch, or by hand: then no file may send it again. */
  PaymentSent: { ...payment, byHand: z.boolean(), exchanged: exchangedAmount.optional() },
  /** From 'open' by hand, with the reference of a transfer that no batch made. */
  PaymentPaid: { ...payment, from: z.enum(['open', 'sent']) },
  PaymentFailed: { ...payment, reason: z.string() },
  PaymentReturned: { ...payment, reason: z.string() },
  /** The bank compared name and account of the payee. The money stays where it is. */
  PaymentPayeeChecked: { payoutId, reference: z.string(), result: z.enum(payeeChecks) },
  /** Its person was deleted. */
  PaymentCancelled: { payoutId, amount: cents, from: z.enum(['open', 'in-batch', 'failed', 'returned']) },
})

export type PaymentEvent = EventOf<typeof paymentEvents>

/** Where the money of an approved payout is. */
export const paymentState = z.object({
  state: z.enum(paymentStates),
  owedAs: owed,
  reference: z.string().nullable(),
  batch: z.string().nullable(),
  /** Staff sent it themselves, while it was in a batch. */
  sentByHand: z.boolean().default(false),
  /** Why it failed or came back; may be empty. */
  reason: z.string().nullable(),
  /** What the bank last said of the payee's name under this reference. */
  payee: z.enum(payeeChecks).nullable().default(null),
  /** What was sent in another currency under this reference, in cents of it. */
  exchanged: z
    .object({ currency: z.literal('EUR'), amount: centsAmount, rate: z.string() })
    .nullable()
    .default(null),
  /** Since when it is in this state, in ms. */
  at: z.int(),
})
export type Payment = Readonly<z.infer<typeof paymentState>>

/** The payment of a payout that was approved at a moment, in ms. */
export function openPayment(at: number): Payment {
  return {
    state: 'open',
    owedAs: 'open',
    reference: null,
    batch: null,
    sentByHand: false,
    reason: null,
    payee: null,
    exchanged: null,
    at,
  }
}

/** The payment after one more event. */
export function paymentAfter(payment: Payment, { type, data, at }: Stored): Payment {
  switch (type) {
    case 'PaymentBatched':
      return {
        ...payment,
        state: 'in-batch',
        batch: data.batch,
        reference: data.reference,
        sentByHand: false,
        reason: null,
        payee: null,
        exchanged: null,
        at,
      }
    case 'PaymentUnbatched':
      return { ...payment, state: data.to, batch: null, reference: null, at }
    case 'PaymentSent':
      return { ...payment, state: 'sent', sentByHand: data.byHand, exchanged: data.exchanged ?? null, at }
    case 'PaymentPaid':
      return { ...payment, state: 'paid', reference: data.reference, at }
    case 'PaymentFailed':
      return { ...payment, state: 'failed', owedAs: 'failed', reason: data.reason, at }
    case 'PaymentReturned':
      return { ...payment, state: 'returned', owedAs: 'returned', reason: data.reason, at }
    case 'PaymentPayeeChecked':
      return { ...payment, payee: data.result }
    case 'PaymentCancelled':
      return { ...payment, state: 'cancelled', at }
  }
}

type Stored = Pick<AppendedEvent<PaymentEvent>, 'at'> & PaymentEvent

/** The parts of a payout that a decision on its payment needs. */
export interface PaidPayout {
  readonly id: PayoutId
  /** Null unless it is approved. */
  readonly payment: Payment | null
  /** How many references were given, also before an approval was taken back. */
  readonly attempts: number
  readonly shares: { readonly trader: Cents } | null
  readonly hold: { readonly reason: string } | null
}

/** A move of a payment; `pay-by-hand` is a transfer that no batch made. */
export type PaymentMove =
  | { readonly kind: 'enter-batch'; readonly batch: string }
  | { readonly kind: 'leave-batch' | 'send-by-hand' | 'confirm' | 'cancel' }
  /** The rate is that of a batch in euro. */
  | { readonly kind: 'send'; readonly rate?: string | null | undefined }
  | { readonly kind: 'fail' | 'return'; readonly reason: string }
  | { readonly kind: 'pay-by-hand'; readonly reference: string }

const drawn: Record<PaymentMove['kind'], readonly PaymentState[]> = {
  'enter-batch': ['open', 'failed', 'returned'],
  'leave-batch': ['in-batch'],
  send: ['in-batch'],
  'send-by-hand': ['in-batch'],
  confirm: ['sent'],
  fail: ['sent'],
  return: ['paid'],
  cancel: ['open', 'in-batch', 'failed', 'returned'],
  'pay-by-hand': ['open'],
}

const heldBack: ReadonlySet<PaymentMove['kind']> = new Set(['enter-batch', 'send', 'send-by-hand', 'pay-by-hand'])

/** From here on the verdict stands for good: money was on its way. */
export function wasSent(payment: Payment | null): boolean {
  return payment !== null && (payment.owedAs !== 'open' || payment.state === 'sent' || payment.state === 'paid')
}

/** Whether its money is owed and not on its way: a breach or a ban puts it on hold, a deletion cancels it. */
export function isOwed(payment: Payment | null): boolean {
  return payment !== null && drawn.cancel.includes(payment.state)
}

/** Whether the trader has not got the money yet. */
export function isUnpaid(payment: Pick<Payment, 'state'> | null): boolean {
  return payment !== null && payment.state !== 'paid' && payment.state !== 'cancelled'
}

/**
 * Moves a payment.
 *
 * @throws {Refused} conflict, where the move is not drawn or the payout is on hold; invalid without a reference.
 */
export function movePayment({ id, payment, attempts, shares, hold }: PaidPayout, move: PaymentMove): PaymentEvent[] {
  if (!payment || !shares)
    throw new Refused('conflict', 'This payout is not approved. Only an approved one can be paid.')
  const { state, owedAs, batch, reference } = payment
  if (!drawn[move.kind].includes(state))
    throw new Refused(
      'conflict',
      `The payment is ${paymentStateLabels[state].toLowerCase()}: this is not possible now.`,
    )
  if (hold && heldBack.has(move.kind))
    throw new Refused('conflict', `This payout is on hold (${hold.reason}). Please release it first.`)
  const details = { payoutId: id, amount: shares.trader, reference: reference ?? '' }
  switch (move.kind) {
    case 'enter-batch': {
      const attempt = attempts + 1
      const given = { payoutId: id, from: owedAs, batch: move.batch, attempt, reference: referenceOf(id, attempt) }
      return [{ type: 'PaymentBatched', data: given }]
    }
    case 'leave-batch':
      return [
        {
          type: 'PaymentUnbatched',
          data: { payoutId: id, to: owedAs, batch: batch ?? '', reference: details.reference },
        },
      ]
    case 'send':
      return [{ type: 'PaymentSent', data: { ...details, byHand: false, ...inEuro(shares.trader, move.rate) } }]
    case 'send-by-hand':
      return [{ type: 'PaymentSent', data: { ...details, byHand: true } }]
    case 'confirm':
      return [{ type: 'PaymentPaid', data: { ...details, from: 'sent' } }]
    case 'fail':
      return [{ type: 'PaymentFailed', data: { ...details, reason: move.reason } }]
    case 'return':
      return [{ type: 'PaymentReturned', data: { ...details, reason: move.reason } }]
    case 'cancel':
      return [
        {
          type: 'PaymentCancelled',
          data: { payoutId: id, amount: details.amount, from: state === 'in-batch' ? state : owedAs },
        },
      ]
    case 'pay-by-hand':
      return [{ type: 'PaymentPaid', data: { ...details, from: 'open', reference: ownReference(id, move.reference) } }]
  }
}

/** Records what the bank says of the payee of a payment; nothing under another reference, or where it is known. */
export function checkPayee(
  { id, payment }: Pick<PaidPayout, 'id' | 'payment'>,
  reference: string,
  result: PayeeCheck,
): PaymentEvent[] {
  if (payment?.reference !== reference || payment.payee === result) return []
  return [{ type: 'PaymentPayeeChecked', data: { payoutId: id, reference, result } }]
}

function referenceOf(id: PayoutId, attempt: number): string {
  const reference = `${id}-${attempt}`
  if (!/^[A-Za-z0-9-]{1,30}$/.test(reference))
    throw new Refused('conflict', `The reference ${reference} does not fit: at most 30 letters, digits and hyphens.`)
  return reference
}

function ownReference(id: PayoutId, text: string): string {
  const reference = text.trim()
  if (reference === '') throw new Refused('invalid', 'Please give the reference of the transfer', 'reference')
  // A batch gives these names, and each of them once.
  if (reference.startsWith(`${id}-`))
    throw new Refused('invalid', 'Only a batch gives this reference. Please give that of the transfer.', 'reference')
  return reference
}

function inEuro(dollars: Cents, rate: string | null | undefined) {
  if (!rate) return {}
  return { exchanged: { currency: 'EUR' as const, amount: toCents(exchanged(dollars, rate)), rate } }
}
