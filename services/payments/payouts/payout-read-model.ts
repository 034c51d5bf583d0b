import { z } from 'zod'
import { accountOf, ownerOf, payoutId } from '#services/framework/ids.ts'
import { centsAmount, toCents } from '#services/rules/money.ts'
import { payoutMethod, payoutStatus } from '#services/trading/stream/payout.ts'
import { openPayment, owed, paymentAfter, type PaymentEvent } from '#services/trading/stream/payment.ts'
import { paymentStates } from '#services/trading/stream/payout-vocabulary.ts'
import { stamp, stampOf, stampOrNone } from '#services/framework/decision-stamp.ts'
import { type RecordedEventOf, defineProjection } from '#services/framework/define-read-model.ts'
import { encryptedFields, encryptedFieldsOf, updateExisting } from '#services/event-sourcing/read-models/projection.ts'

const payment = z.object({
  state: z.enum(paymentStates),
  owedAs: owed,
  reference: z.string().nullable(),
  batch: z.string().nullable(),
  sentByHand: z.boolean().default(false),
  reason: z.string().nullable(),
  at: z.int(),
})

const step = z.object({
  state: z.enum(paymentStates),
  reference: z.string().nullable(),
  reason: z.string().nullable(),
  stamp,
})

const document = z.object({
  id: payoutId,
  userId: z.string(),
  accountId: z.string(),
  amount: centsAmount,
  method: payoutMethod,
  /** Where the money goes, in words and checked, encrypted. */
  details: encryptedFields,
  status: payoutStatus,
  /** Null until decided, and for a decision without notes. */
  notes: z.string().nullable(),
  requestedAt: z.int(),
  decidedAt: z.int().nullable(),
  shares: z.object({ trader: centsAmount, firm: centsAmount }).nullable().default(null),
  deducted: z.boolean().default(false),
  hold: z.object({ reason: z.string(), at: z.int() }).nullable().default(null),
  /** Null unless it is approved. */
  payment: payment.nullable().default(null),
  /** What became of its payments, oldest first. */
  steps: z.array(step).default([]),
  /**
   * Ascending, it is the order of work: pending payouts by the time of the request, then decided ones from the newest
   * verdict.
   */
  queue: z.int(),
  requested: stampOrNone,
  decided: stampOrNone,
  /** The first of two approvals, until a verdict. */
  firstApproval: stamp.extend({ member: z.string() }).nullable(),
})

export type PayoutDocument = z.infer<typeof document>

/** One document per payout: the trader's history and the administrator's table. */
export const payouts = defineProjection({
  name: 'payouts',
  version: 10,
  document,
  filters: [
    'userId',
    'accountId',
    'status',
    'method',
    'amount',
    'requestedAt',
    'payment.state',
    'payment.batch',
    'firstApproval.at',
  ],
  sorts: ['queue', 'requestedAt', 'amount', 'status'],
  search: ['id'],
  documentId: (event) => event.data.payoutId,
  on: {
    PayoutRequested: (_, event): PayoutDocument => ({
      id: event.data.payoutId,
      userId: ownerOf(accountOf(event.data.payoutId)),
      accountId: accountOf(event.data.payoutId),
      amount: event.data.amount,
      method: event.data.method,
      details: encryptedFieldsOf(event),
      status: 'pending',
      notes: null,
      requestedAt: event.at,
      decidedAt: null,
      shares: null,
      deducted: false,
      hold: null,
      payment: null,
      steps: [],
      queue: event.at,
      requested: stampOf(event),
      decided: null,
      firstApproval: null,
    }),
    PayoutFirstApproved: updateExisting((payout, event) => ({
      ...payout,
      firstApproval: { ...stampOf(event), member: event.data.member },
    })),
    PayoutApproved: updateExisting((payout, event) => ({
      ...decidedBy(payout, event, 'approved'),
      shares: { trader: toCents(event.data.traderReceives), firm: toCents(event.data.firmKeeps) },
      payment: openPayment(event.at),
    })),
    PayoutRejected: updateExisting((payout, event) => ({
      ...decidedBy(payout, event, 'rejected'),
      shares: null,
      payment: null,
    })),
    PayoutWithdrawn: updateExisting((payout, event) => decidedBy(payout, event, 'withdrawn')),
    PayoutHoldChanged: updateExisting((payout, { at, data: { to } }) => ({
      ...payout,
      hold: to === null ? null : { reason: to, at },
    })),
    PayoutDeducted: updateExisting((payout) => ({ ...payout, deducted: true })),
    PayoutBookedBack: updateExisting((payout) => ({ ...payout, deducted: false })),
    PaymentBatched: updateExisting(moved),
    PaymentUnbatched: updateExisting(moved),
    PaymentSent: updateExisting(moved),
    PaymentPaid: updateExisting(moved),
    PaymentFailed: updateExisting(moved),
    PaymentReturned: updateExisting(moved),
    PaymentCancelled: updateExisting(moved),
  },
})

/** What happens in the firm before the money leaves is no step: the file of a batch may be made several times. */
function moved(payout: PayoutDocument, event: RecordedEventOf<PaymentEvent['type']>): PayoutDocument {
  if (!payout.payment) return payout
  const payment = paymentAfter(payout.payment, event)
  const { state, reference, reason } = payment
  const isStep = event.type !== 'PaymentBatched' && event.type !== 'PaymentUnbatched'
  const steps = isStep ? [...payout.steps, { state, reference, reason, stamp: stampOf(event) }] : payout.steps
  return { ...payout, payment, steps }
}

/** Later than any request, in ms since 1970. */
const AFTER_PENDING = 100_000_000_000_000

type PayoutDecision = RecordedEventOf<'PayoutApproved' | 'PayoutRejected' | 'PayoutWithdrawn'>

function decidedBy(payout: PayoutDocument, event: PayoutDecision, status: PayoutDocument['status']): PayoutDocument {
  return {
    ...payout,
    status,
    notes: ('notes' in event.data && event.data.notes) || null,
    decidedAt: event.at,
    queue: AFTER_PENDING - event.at,
    decided: stampOf(event),
    firstApproval: null,
  }
}
