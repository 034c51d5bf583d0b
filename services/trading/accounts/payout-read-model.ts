import { z } from 'zod'
import { accountOf, ownerOf, payoutId } from '#services/framework/ids.ts'
import { centsAmount } from '#services/rules/money.ts'
import {
  type Payout,
  payoutChanges,
  type PayoutEvent,
  payoutEvents,
  payoutStatus,
  requestedPayout,
  requestFields,
} from '#services/trading/stream/payout.ts'
import { promiseKinds } from '#services/trading/stream/payout-vocabulary.ts'
import { dueOf, overdueOf, payoutPromise } from '#services/trading/stream/payout-promise.ts'
import { rejection } from '#services/trading/stream/rejection.ts'
import { paymentState } from '#services/trading/stream/payment.ts'
import { stamp, stampOf, stampOrNone } from '#services/framework/decision-stamp.ts'
import {
  encryptedFields,
  encryptedFieldsOf,
  updateOn,
  projection,
} from '#services/event-sourcing/read-models/projection.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'

const step = z.object({
  ...paymentState.pick({ state: true, reference: true, reason: true }).shape,
  stamp,
})

const document = z.object({
  id: payoutId,
  userId: z.string(),
  accountId: z.string(),
  amount: centsAmount,
  ...requestFields,
  /** Where the money went first, in words and checked, encrypted. */
  details: encryptedFields,
  /** The destinations that were given later, encrypted, the newest last. */
  redirections: z.array(z.object({ fields: encryptedFields, reason: z.string().nullable(), stamp })).default([]),
  /** The destination that the first of two members gave, encrypted. */
  proposal: z
    .object({ fields: encryptedFields, reason: z.string(), member: z.string(), stamp })
    .nullable()
    .default(null),
  status: payoutStatus,
  /** Null until decided, and for a decision without notes. */
  notes: z.string().nullable(),
  requestedAt: z.int(),
  decidedAt: z.int().nullable(),
  rejection: rejection.nullable().default(null),
  /** `due`: when the deadline that runs is over, if no entry says that it is. `overdue`: what an entry says. */
  promise: payoutPromise
    .extend({ due: z.int().nullable(), overdue: z.enum(promiseKinds).nullable() })
    .nullable()
    .default(null),
  shares: z.object({ trader: centsAmount, firm: centsAmount }).nullable().default(null),
  deducted: z.boolean().default(false),
  hold: z.object({ reason: z.string(), at: z.int() }).nullable().default(null),
  /** Null unless it is approved. */
  payment: paymentState.nullable().default(null),
  /** The steps of its payments, oldest first. */
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
  /** The first of two members who have its amount leave the account, until a verdict. */
  firstForfeit: stamp.extend({ member: z.string() }).nullable().default(null),
})

export type PayoutDocument = z.infer<typeof document>

const { PayoutRequested: _requested, ...laterEvents } = payoutEvents
type LaterEvent = Exclude<PayoutEvent, { type: 'PayoutRequested' }>

/** One document per payout: the trader's history and the administrator's table. */
export const payouts = projection(payoutEvents, {
  name: 'payouts',
  version: 14,
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
    'promise.due',
    'promise.overdue',
  ],
  selective: ['userId', 'accountId', 'payment.batch'],
  sorts: ['queue', 'requestedAt', 'amount', 'status'],
  search: ['id', 'payment.reference'],
  documentId: (event) => event.data.payoutId,
  on: {
    PayoutRequested: (_, event): PayoutDocument => {
      const accountId = accountOf(event.data.payoutId)
      return {
        ...kept(requestedPayout(event)),
        promise: withClock(requestedPayout(event)),
        userId: ownerOf(accountId),
        accountId,
        details: encryptedFieldsOf(event),
        redirections: [],
        proposal: null,
        steps: [],
        queue: event.at,
        requested: stampOf(event),
        decided: null,
        firstApproval: null,
        firstForfeit: null,
      }
    },
    ...updateOn(laterEvents, changed),
  },
})

/** Later than any request, in ms since 1970. */
const AFTER_PENDING = 100_000_000_000_000

const noSteps: ReadonlySet<LaterEvent['type']> = new Set(['PaymentBatched', 'PaymentUnbatched', 'PaymentPayeeChecked'])

/** Most destinations that a document keeps: the history has all. */
const MOST_REDIRECTIONS = 10

function changed(payout: PayoutDocument, event: RecordedEvent<LaterEvent>): PayoutDocument {
  const { proposal, promise, ...others } = payoutChanges(payout, event)
  const changes = kept(others)
  const moved = { ...payout, ...changes, ...(proposal === null && { proposal }) }
  const after = { ...moved, promise: withClock({ status: moved.status, promise: promise ?? payout.promise }) }
  if (event.type === 'PayoutDestinationProposed') {
    const { reason, member } = event.data
    return { ...after, proposal: { fields: encryptedFieldsOf(event), reason, member, stamp: stampOf(event) } }
  }
  if (event.type === 'PayoutDestinationChanged') {
    const given = { fields: encryptedFieldsOf(event), reason: event.data.reason, stamp: stampOf(event) }
    return { ...after, redirections: [...payout.redirections, given].slice(-MOST_REDIRECTIONS), firstApproval: null }
  }
  if (event.type === 'PayoutFirstApproved')
    return { ...after, firstApproval: { ...stampOf(event), member: event.data.member }, firstForfeit: null }
  if (event.type === 'PayoutFirstForfeited')
    return { ...after, firstForfeit: { ...stampOf(event), member: event.data.member }, firstApproval: null }
  if (changes.decidedAt)
    return {
      ...after,
      queue: AFTER_PENDING - changes.decidedAt,
      decided: stampOf(event),
      firstApproval: null,
      firstForfeit: null,
    }
  // Work before the money leaves is no step: the file of a batch may be made several times.
  if (!changes.payment || noSteps.has(event.type)) return after
  const { state, reference, reason } = changes.payment
  return { ...after, steps: [...payout.steps, { state, reference, reason, stamp: stampOf(event) }] }
}

/** The promise with what lists of payouts are filtered by. */
function withClock(payout: Pick<Payout, 'status' | 'promise'>): PayoutDocument['promise'] {
  return payout.promise && { ...payout.promise, due: dueOf(payout), overdue: overdueOf(payout) }
}

/** Without what only decisions need, and what is encrypted or has a stamp here. */
function kept<Some extends Partial<Payout>>(payout: Some) {
  const {
    details: _1,
    destination: _2,
    firstApproval: _3,
    firstForfeit: _9,
    holdChangedAt: _4,
    holdRevision: _5,
    attempts: _6,
    former: _7,
    proposal: _8,
    ...rest
  } = payout
  return rest
}
