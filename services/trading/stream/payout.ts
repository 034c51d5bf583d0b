import { Map as ImmutableMap } from 'immutable'
import { z } from 'zod'
import {
  type AppendedEvent,
  type EventOf,
  defineEvents,
  isOneOf,
  personal,
} from '#services/event-sourcing/event-definitions.ts'
import { approvedShares, assertRequestable, sumOf } from './available-payout.ts'
import { payingStage, type Stage, stageAfterEntry } from './stage.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { ERASED } from '#services/event-sourcing/erased.ts'
import { type Account, accountNotFound } from './account.ts'
import { type AdminKeyId, adminKeyId, type PayoutId, payoutId } from '#services/framework/ids.ts'
import { type Cents, cents, noMoney, toCents, inDollars } from '#services/rules/money.ts'
import { NumberedList } from '#services/event-sourcing/numbered-list.ts'
import {
  checkRejection,
  type FirstForfeit,
  forfeitEvents,
  type Proving,
  type Rejection,
  rejectionFields,
  rejectionOf,
  type RejectionReasons,
} from './rejection.ts'
import { stageTermsOf } from './programme-stage.ts'
import {
  missedDeadline,
  movesPromise,
  type PayoutPromise,
  promiseAfter,
  promisedHours,
  type PromisedHours,
  promiseFrom,
} from './payout-promise.ts'
import { payoutMethods, payoutStatuses, type PromiseKind, promiseKinds } from './payout-vocabulary.ts'
import { destination } from './destination-vocabulary.ts'
import {
  destinationEvents,
  type DestinationGiver,
  type DestinationProposal,
  type FormerDestination,
  redirect,
  type Whereabouts,
  whereTo,
} from './payout-destination.ts'
import {
  isOwed,
  movePayment,
  openPayment,
  type Payment,
  paymentAfter,
  paymentEvents,
  type PaymentMove,
  wasSent,
} from './payment.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'

/** Payouts of a trading account and the verdicts on them (specification §4, §6). */

export const payoutStatus = z.enum(payoutStatuses)
export const payoutMethod = z.enum(payoutMethods)

/** A request records these fields as they are; the state and the documents of payouts keep them. */
export const requestFields = { method: payoutMethod }

const verdictEvents = defineEvents({
  PayoutRequested: {
    payoutId,
    amount: cents,
    ...requestFields,
    details: personal(z.string()),
    /** Checked; null where only `details` say it. */
    destination: personal(destination.nullable(), null),
    /** The request's Idempotency-Key and a digest of its body, so that a repetition is known for good. */
    idempotency: z.object({ key: z.string(), digest: z.string() }).nullable(),
    /** The hours within which it is promised to be decided and sent; absent where nothing is. */
    promise: promisedHours.optional(),
  },
  /** One of two members who have to approve it; the payout stays as it is. */
  PayoutFirstApproved: { payoutId, from: payoutStatus, amount: cents, notes: z.string(), member: adminKeyId },
  /** The parts of trader and firm are fixed by the split of that moment. */
  PayoutApproved: {
    payoutId,
    from: payoutStatus,
    amount: cents,
    notes: z.string(),
    traderReceives: cents,
    firmKeeps: cents,
  },
  /** `traderReceives` is what is owed no more, where an approval is taken back. */
  PayoutRejected: {
    payoutId,
    from: payoutStatus,
    amount: cents,
    notes: z.string(),
    traderReceives: cents.optional(),
    ...rejectionFields,
  },
  /** By its trader, while it waited. */
  PayoutWithdrawn: { payoutId, amount: cents },
  /** Why its payment waits until somebody releases it; null where it does not. */
  PayoutHoldChanged: { payoutId, from: z.string().nullable(), to: z.string().nullable() },
  /** It was not decided, or sent, when that was promised: at `due`, ms since 1970. */
  PayoutOverdue: { payoutId, of: z.enum(promiseKinds), due: z.int() },
  /** An approved amount left the balance, in the append of its approval. */
  PayoutDeducted: { payoutId, from: cents, to: cents },
  /** It came back, because the approval was taken back. */
  PayoutBookedBack: { payoutId, from: cents, to: cents },
})

export const payoutEvents = { ...verdictEvents, ...forfeitEvents, ...destinationEvents, ...paymentEvents }

export type PayoutEvent = EventOf<typeof payoutEvents>
export type PayoutStatus = z.infer<typeof payoutStatus>
export type PayoutMethod = z.infer<typeof payoutMethod>

type Requested = Extract<PayoutEvent, { type: 'PayoutRequested' }>

/** A payout: what its request recorded, and what became of it. */
export interface Payout extends Readonly<Omit<Requested['data'], 'payoutId' | 'idempotency' | 'promise'>> {
  readonly id: PayoutId
  readonly status: PayoutStatus
  /** Null until decided, and for a decision without notes. */
  readonly notes: string | null
  readonly requestedAt: number
  readonly decidedAt: number | null
  /** The shares of trader and firm; null unless it is approved. */
  readonly shares: { readonly trader: Cents; readonly firm: Cents } | null
  /** Its amount has left the balance. */
  readonly deducted: boolean
  /** Null where nothing is promised. */
  readonly promise: PayoutPromise | null
  /** Null unless it is rejected. */
  readonly rejection: Rejection | null
  /** The first of two approvals, until a verdict. */
  readonly firstApproval: { readonly member: AdminKeyId; readonly at: number } | null
  /** The first of two members who have its amount leave the account, until a verdict. */
  readonly firstForfeit: FirstForfeit | null
  /** Why its payment waits until somebody releases it. */
  readonly hold: { readonly reason: string; readonly at: number } | null
  /** When it was last put on hold or released, in ms. */
  readonly holdChangedAt: number | null
  /** The revision of the event that did. */
  readonly holdRevision: number | null
  /** Null unless it is approved. */
  readonly payment: Payment | null
  /** How many references its payments were given. */
  readonly attempts: number
  /** Where its money went before another destination was given, oldest first. */
  readonly former: readonly FormerDestination[]
  /** The destination that the first of two members gave. */
  readonly proposal: DestinationProposal | null
}

/** The payouts of an account. */
export interface Payouts {
  readonly list: NumberedList<PayoutId, Payout>
  readonly idempotencyKeys: ImmutableMap<string, { readonly payoutId: PayoutId; readonly digest: string }>
}

/** The parts of an account's state that decisions on its payouts need. */
export interface PayoutState {
  /** Null without terms. Where none of payouts are among them, any amount is possible. */
  readonly stage: Stage | null
  readonly account: Pick<Account, 'id' | 'open' | 'erased' | 'payoutsEnabled' | 'balance' | 'programme'>
  readonly payouts: Payouts
}

/** A rejection may name findings and observations of the account. */
export type RejectableState = PayoutState & Proving

/** A payout begins with these fields beside its request. The answer to the request shows them for good. */
export const undecided = {
  status: 'pending',
  notes: null,
  decidedAt: null,
  rejection: null,
  shares: null,
  deducted: false,
  hold: null,
  payment: null,
} as const

/** The payout that a request begins. */
export function requestedPayout({ data, at: requestedAt }: AppendedEvent<Requested>): Payout {
  const { payoutId: id, idempotency: _, promise: hours, ...request } = data
  const promise = promiseFrom(hours, requestedAt)
  const internal = {
    ...{ firstApproval: null, firstForfeit: null, holdChangedAt: null, holdRevision: null },
    ...{ attempts: 0, former: [], proposal: null },
  }
  return { id, ...request, ...undecided, requestedAt, promise, ...internal }
}

/** Returns the fields of a payout that a later event changes. */
export function payoutChanges(
  payout: Pick<Payout, 'payment' | 'status' | 'promise'>,
  event: AppendedEvent<Exclude<PayoutEvent, Requested>>,
): Partial<Payout> {
  const changes = fieldsChanged(payout, event)
  return payout.promise && movesPromise(event) ? { ...changes, promise: promiseAfter(payout, event) } : changes
}

function fieldsChanged(
  { payment }: Pick<Payout, 'payment'>,
  event: AppendedEvent<Exclude<PayoutEvent, Requested>>,
): Partial<Payout> {
  if (isOneOf(paymentEvents, event)) {
    const attempts = event.type === 'PaymentBatched' ? { attempts: event.data.attempt, proposal: null } : {}
    return payment ? { payment: paymentAfter(payment, event), ...attempts } : {}
  }
  const { type, data, at, revision } = event
  switch (type) {
    case 'PayoutFirstApproved':
      return { firstApproval: { member: data.member, at }, firstForfeit: null }
    case 'PayoutFirstForfeited':
      return { firstForfeit: { member: data.member, at }, firstApproval: null }
    case 'PayoutApproved': {
      const shares = { trader: data.traderReceives, firm: data.firmKeeps }
      return { ...decided('approved', at, data.notes), shares, payment: openPayment(at) }
    }
    case 'PayoutRejected':
      return { ...decided('rejected', at, data.notes), rejection: rejectionOf(data), shares: null, payment: null }
    case 'PayoutWithdrawn':
      return decided('withdrawn', at)
    case 'PayoutHoldChanged':
      return { hold: data.to === null ? null : { reason: data.to, at }, holdChangedAt: at, holdRevision: revision }
    case 'PayoutDestinationChanged':
      // Who approved first saw another destination.
      return { ...data.to, proposal: null, firstApproval: null }
    case 'PayoutDestinationProposed':
      return { proposal: { to: data.to, reason: data.reason, member: data.member, at } }
    case 'PayoutDeducted':
      return { deducted: true }
    case 'PayoutBookedBack':
      return { deducted: false }
    case 'PayoutOverdue':
      return {}
    case 'PayoutForfeited':
    case 'PayoutForfeitReversed':
      // The rejection says it, or is no more.
      return {}
  }
}

function decided(status: PayoutStatus, decidedAt: number, notes = ''): Partial<Payout> {
  const ended = { rejection: null, firstApproval: null, firstForfeit: null, proposal: null }
  return { status, notes: notes || null, decidedAt, ...ended }
}

function evolve(payouts: Payouts, event: AppendedEvent<PayoutEvent>): Payouts {
  const { list, idempotencyKeys } = payouts
  if (event.type === 'PayoutRequested') {
    const { payoutId, idempotency } = event.data
    const requested = { ...payouts, list: list.with(requestedPayout(event)) }
    if (!idempotency) return requested
    const { key, digest } = idempotency
    return { ...requested, idempotencyKeys: idempotencyKeys.set(key, { payoutId, digest }) }
  }
  const payout = list.get(event.data.payoutId)
  if (!payout) return payouts
  const former =
    event.type === 'PayoutDestinationChanged'
      ? [...payout.former, { ...event.data.from, attempts: payout.attempts }]
      : payout.former
  return { ...payouts, list: list.with({ ...payout, ...payoutChanges(payout, event), former }) }
}

export const payoutDecider: Decider<Payouts, PayoutEvent> = {
  initial: { list: new NumberedList(), idempotencyKeys: ImmutableMap() },
  evolve,
}

/** The payouts of a deleted user. */
export function withoutDetails({ list, ...payouts }: Payouts): Payouts {
  const erased = { details: ERASED, destination: null, former: [], proposal: null }
  return { ...payouts, list: [...list.values()].reduce((all, one) => all.with({ ...one, ...erased }), list) }
}

/** The payouts that wait for a verdict, oldest first. */
export function pendingPayouts({ list }: Payouts): Payout[] {
  return [...list.values()].filter(({ status }) => status === 'pending')
}

/**
 * Whether money would go elsewhere than with the last request that was neither rejected nor withdrawn, nor is on hold
 * for its new destination.
 */
export function isNewDestination({ list }: Payouts, to: Pick<Payout, 'method' | 'details' | 'destination'>): boolean {
  const last = [...list.values()].findLast(
    ({ status, hold }) => status !== 'rejected' && status !== 'withdrawn' && !doubts.has(hold?.reason),
  )
  return last?.method !== to.method || whereTo(last) !== whereTo(to)
}

export type PayoutRequest = Omit<Extract<PayoutEvent, { type: 'PayoutRequested' }>['data'], 'payoutId' | 'promise'>

/** How long a new destination is doubtful after the email or the password changed. */
const DOUBTFUL = 72 * 3_600_000

const TAKEOVER =
  'The email was changed or the password reset within 72 hours before this request, and the destination is new.'

const TAKEOVER_OF_PAYMENT =
  'The email was changed or the password reset within 72 hours before another destination was given.'

const doubts: ReadonlySet<string | undefined> = new Set([TAKEOVER, TAKEOVER_OF_PAYMENT])

/** Why a payout is on hold that no person put on hold. */
export const HELD_BY_BREACH = 'The account was breached.'
export const HELD_BY_BAN = 'The trader was banned.'

/** Whether the portal held a payout by itself, for this reason. */
export function isHeldBySystem(reason: string): boolean {
  return reason === HELD_BY_BREACH || reason === HELD_BY_BAN || doubts.has(reason)
}

const NOT_ELIGIBLE = 'Your account is not currently eligible for payouts. Please contact support for more information.'

/**
 * Asks for a payout at a moment, in ms: above 0 (specification §5), only while payouts are enabled (§6), and what the
 * terms allow. A repeated idempotency key asks nothing new.
 *
 * @param accessChangedAt When the trader's email last changed or the password was reset, in ms: a new destination is on
 * hold for a while after that.
 * @param promised What the portal promises where no terms say it.
 */
export function requestPayout(
  { account, stage: current, payouts }: PayoutState,
  request: PayoutRequest,
  now: number,
  accessChangedAt: number | null = null,
  promised?: PromisedHours,
): PayoutEvent[] {
  if (earlierRequest(payouts, request.idempotency)) return []
  if (!account.id || account.erased) throw accountNotFound()
  if (!account.open || !account.payoutsEnabled) throw new Refused('forbidden', NOT_ELIGIBLE)
  if (request.amount <= 0) throw new Refused('invalid', 'Amount must be greater than 0', 'amount')
  const stage = payingStage(current)
  if (stage) assertRequestable(stage, now, amountsOf(pendingPayouts(payouts)), request.amount)
  const id = nextPayoutId(account, payouts)
  const isDoubtful = isRecent(accessChangedAt, now) && isNewDestination(payouts, request)
  const hours = current ? promisesOf(stage) : promised
  return [
    { type: 'PayoutRequested', data: { payoutId: id, ...request, ...(hours && { promise: hours }) } },
    ...(isDoubtful ? [{ type: 'PayoutHoldChanged', data: { payoutId: id, from: null, to: TAKEOVER } } as const] : []),
  ]
}

/** The promises of a stage that pays. */
function promisesOf(stage: Stage | null): PromisedHours | undefined {
  const terms = stage && stageTermsOf(stage.terms, stage.index)
  return terms?.funded ? terms.promises : undefined
}

function isRecent(accessChangedAt: number | null, now: number): boolean {
  return accessChangedAt !== null && now - accessChangedAt < DOUBTFUL
}

/**
 * The payout that this idempotency key made before, if any.
 *
 * @throws {Refused} conflict, when the key came with another body.
 */
export function earlierRequest(
  { idempotencyKeys }: Payouts,
  idempotency: PayoutRequest['idempotency'],
): PayoutId | undefined {
  const earlier = idempotency && idempotencyKeys.get(idempotency.key)
  if (!earlier) return undefined
  if (earlier.digest !== idempotency.digest)
    throw new Refused('conflict', 'This Idempotency-Key was already used for a different request')
  return earlier.payoutId
}

/** Who approves, and above which amount two members have to; null for no such amount. */
export interface Approver {
  readonly member: AdminKeyId
  readonly secondApprovalAbove: Cents | null
  /** A member who may not decide payouts any more: their first approval does not count. */
  readonly lapsed: AdminKeyId | null
}

export interface Approval {
  readonly notes?: string
  readonly approver?: Approver
  /** The amount leaves the balance. With terms or a programme it always does. */
  readonly deduct?: boolean
  /** In ms. */
  readonly now: number
}

/**
 * A rejected payout may still be approved and the other way round; the same verdict twice is refused (specification
 * §4). Above an amount the first approval is only recorded, and the second has to be another member's: that one takes
 * effect. What the terms allow is calculated again at that moment.
 */
export function approvePayout(
  state: PayoutState,
  id: PayoutId,
  { notes = '', approver, deduct = false, now }: Approval,
): PayoutEvent[] {
  const payout = decidable(state, id, 'approved')
  const { status: from, amount } = payout
  if (isFirstOfTwo(approver, payout.firstApproval, amount, OWN_APPROVAL))
    return [{ type: 'PayoutFirstApproved', data: { payoutId: id, from, amount, notes, member: approver.member } }]
  const paying = payingStage(state.stage)
  const { balance: before, programme } = state.account
  const deducts = deduct || paying !== null || programme !== null
  // What was forfeited comes back first.
  const isForfeited = payout.rejection?.money === 'forfeited'
  const balance = isForfeited ? toCents(before + amount) : before
  const reversal = { payoutId: id, from: before, to: balance }
  const reversed = { ...reversal, kind: 'forfeit-reversed', booking: null } as const
  const stage = paying && isForfeited ? stageAfterEntry(paying, now, reversed) : paying
  const others = pendingPayouts(state.payouts).filter((other) => other.id !== id)
  const shares = stage
    ? approvedShares(stage, now, amount, sumOf(amountsOf(others)))
    : { trader: amount, firm: noMoney }
  if (deducts && !stage && amount > balance)
    throw new Refused('conflict', `The balance of ${inDollars(balance)} does not cover this payout`, 'deduct')
  const parts = { traderReceives: toCents(shares.trader), firmKeeps: toCents(shares.firm) }
  const approved = { payoutId: id, from, amount, notes, ...parts }
  const deduction = { payoutId: id, from: balance, to: toCents(balance - amount) }
  return [
    { type: 'PayoutApproved', data: approved },
    ...(isForfeited ? [{ type: 'PayoutForfeitReversed', data: reversal } as const] : []),
    ...(deducts ? [{ type: 'PayoutDeducted', data: deduction } as const] : []),
    ...overdueIn(payout, now, 'decision'),
  ]
}

/**
 * Rejecting needs a reason: the notes may not be blank (specification §2, admin payouts). What an approval deducted is
 * booked back. The amount stays in the account, or leaves it for good: above an amount the first who says so is only
 * recorded, as with approvals.
 */
export function rejectPayout(
  state: RejectableState,
  id: PayoutId,
  notes: string,
  reasons: RejectionReasons = {},
  approver?: Approver,
  now = -Infinity,
): PayoutEvent[] {
  if (notes.trim() === '') throw new Refused('invalid', 'Please provide notes for rejecting this payout', 'adminNotes')
  const payout = decidable(state, id, 'rejected')
  const { status: from, amount, deducted, shares, payment, rejection } = payout
  if (wasSent(payment))
    throw new Refused('conflict', 'The payment of this payout was sent. It cannot be rejected any more.')
  const { code, evidence } = reasons
  // A rejected one is rejected again only to end a first approval.
  const isForfeited = rejection?.money === 'forfeited'
  const money = isForfeited ? 'forfeited' : reasons.money
  if (rejection && reasons.money !== undefined && reasons.money !== rejection.money)
    throw new Refused('conflict', 'What becomes of the money was decided when this payout was rejected.')
  const { balance: before } = state.account
  const balance = deducted ? toCents(before + amount) : before
  checkRejection(state, { code, money, evidence }, amount, isForfeited ? Infinity : balance)
  const forfeits = money === 'forfeited' && !isForfeited
  if (forfeits && code && isFirstOfTwo(approver, payout.firstForfeit, amount, OWN_FORFEIT)) {
    const first = { payoutId: id, from, amount, notes, member: approver.member, code }
    return [{ type: 'PayoutFirstForfeited', data: { ...first, ...(evidence && { evidence: [...evidence] }) } }]
  }
  const given = {
    ...(code && { code }),
    ...(money && { money }),
    ...(evidence && { evidence: [...evidence] }),
  }
  const rejected = { payoutId: id, from, amount, notes, ...(shares && { traderReceives: shares.trader }), ...given }
  const forfeit = { payoutId: id, from: balance, to: toCents(balance - amount) }
  return [
    ...leftBatch(payout),
    { type: 'PayoutRejected', data: rejected },
    ...(deducted ? [{ type: 'PayoutBookedBack', data: { payoutId: id, from: before, to: balance } } as const] : []),
    ...(forfeits ? [{ type: 'PayoutForfeited', data: forfeit } as const] : []),
    ...overdueIn(payout, now, 'decision'),
  ]
}

/** Records what is overdue at a moment, in ms: once for each promise. */
export function overduePayouts({ payouts: { list } }: Pick<PayoutState, 'payouts'>, now: number): PayoutEvent[] {
  return [...list.values()].flatMap((payout) => [
    ...overdueIn(payout, now, 'decision'),
    ...overdueIn(payout, now, 'sending'),
  ])
}

/** "What is done late before that records it in its own append." */
function overdueIn(payout: Payout, now: number, of: PromiseKind): PayoutEvent[] {
  const missed = missedDeadline(payout, now)
  return missed?.of === of ? [{ type: 'PayoutOverdue', data: { payoutId: payout.id, of, due: missed.due } }] : []
}

const OWN_APPROVAL = 'You gave the first approval of this payout. Another member of staff has to give the second.'
const OWN_FORFEIT = 'You were the first to forfeit this payout. Another member of staff has to do it too.'

/**
 * Whether two members have to give this, and nobody who counts did yet.
 *
 * @param own Refuses the member who gave it first.
 * @throws {Refused} conflict, for the member who gave it first.
 */
function isFirstOfTwo(
  approver: Approver | undefined,
  first: { readonly member: AdminKeyId } | null,
  amount: Cents,
  own: string,
): approver is Approver {
  if (!approver || approver.secondApprovalAbove === null || amount <= approver.secondApprovalAbove) return false
  if (!first || first.member === approver.lapsed) return true
  if (first.member === approver.member) throw new Refused('conflict', own)
  return false
}

/** Takes a request back for good, while it waits. */
export function withdrawPayout({ account, payouts }: PayoutState, id: PayoutId): PayoutEvent[] {
  const payout = existing({ account, payouts }, id)
  if (payout.status !== 'pending') throw alreadyDecided(payout.status)
  return [{ type: 'PayoutWithdrawn', data: { payoutId: id, amount: payout.amount } }]
}

/**
 * Gives a payment that failed, came back, or is not sent and not checked another destination, at a moment in ms. It
 * leaves its batch: what is in there was seen with the destination before.
 *
 * @param accessChangedAt As for a request: a destination that its trader gives soon after is on hold.
 * @throws {Refused} not-found, conflict
 */
export function changeDestination(
  state: PayoutState,
  id: PayoutId,
  to: Whereabouts,
  by: DestinationGiver,
  now: number,
  accessChangedAt: number | null = null,
): PayoutEvent[] {
  const payout = existing(state, id)
  const events = redirect(payout, to, by)
  if (!events.some(({ type }) => type === 'PayoutDestinationChanged')) return events
  const isDoubtful = by === 'trader' && !payout.hold && isRecent(accessChangedAt, now)
  return [
    ...leftBatch(payout),
    ...events,
    ...(isDoubtful
      ? [{ type: 'PayoutHoldChanged', data: { payoutId: id, from: null, to: TAKEOVER_OF_PAYMENT } } as const]
      : []),
  ]
}

/** Puts a payout that may still be paid on hold, for a reason, or releases it with null. A held one is in no batch. */
export function holdPayout(state: PayoutState, id: PayoutId, reason: string | null): PayoutEvent[] {
  const payout = existing(state, id)
  const { status, hold } = payout
  if (status !== 'pending' && status !== 'approved') throw alreadyDecided(status)
  const from = hold?.reason ?? null
  if (from === reason) return []
  return [
    ...(reason === null ? [] : leftBatch(payout)),
    { type: 'PayoutHoldChanged', data: { payoutId: id, from, to: reason } },
  ]
}

/**
 * Puts all payouts on hold that wait or are owed, because of something that happened at a moment, in ms. What was sent
 * goes on; one that is held, or was released since, stays as it is.
 */
export function holdAllPayouts({ list }: Payouts, reason: string, since = Infinity): PayoutEvent[] {
  return [...list.values()].flatMap((payout): PayoutEvent[] => {
    const { id, status, payment, hold, holdChangedAt } = payout
    if (hold || (holdChangedAt ?? -Infinity) >= since || !(status === 'pending' || isOwed(payment))) return []
    return [...leftBatch(payout), { type: 'PayoutHoldChanged', data: { payoutId: id, from: null, to: reason } }]
  })
}

/**
 * Ends the holds that a breach put, the event of this revision, because it was none: they are released, or become those
 * of the ban of a trader who is banned. What a person holds stays. Without a breach there are none.
 */
export function endHoldsOfBreach({ list }: Payouts, breach: number | null, isBanned: boolean): PayoutEvent[] {
  if (breach === null) return []
  const to = isBanned ? HELD_BY_BAN : null
  return [...list.values()].flatMap(({ id, status, hold, holdRevision }): PayoutEvent[] =>
    hold?.reason === HELD_BY_BREACH && (holdRevision ?? 0) > breach && (status === 'pending' || status === 'approved')
      ? [{ type: 'PayoutHoldChanged', data: { payoutId: id, from: hold.reason, to } }]
      : [],
  )
}

function leftBatch(payout: Payout): PayoutEvent[] {
  return payout.payment?.state === 'in-batch' ? movePayment(payout, { kind: 'leave-batch' }) : []
}

/**
 * Moves the payment of a payout, also on an account that was closed or whose person was deleted. What failed or came
 * back after a deletion is cancelled: nobody is left to pay.
 */
export function movePayoutPayment(
  { account, payouts }: Pick<PayoutState, 'payouts'> & { readonly account: Pick<Account, 'erased'> },
  id: PayoutId,
  move: PaymentMove,
  now = -Infinity,
): PayoutEvent[] {
  const payout = payouts.list.get(id)
  if (!payout) throw payoutNotFound()
  const moved = [...movePayment(payout, move), ...(sending.has(move.kind) ? overdueIn(payout, now, 'sending') : [])]
  if (!account.erased || !payout.shares || (move.kind !== 'fail' && move.kind !== 'return')) return moved
  const from = move.kind === 'fail' ? 'failed' : 'returned'
  return [...moved, { type: 'PaymentCancelled', data: { payoutId: id, amount: payout.shares.trader, from } }]
}

const sending: ReadonlySet<PaymentMove['kind']> = new Set(['send', 'send-by-hand', 'pay-by-hand'])

/** Cancels the payments that were not sent, of a deleted user. */
export function cancelPayments({ list }: Payouts): PayoutEvent[] {
  return [...list.values()].flatMap((payout) => (isOwed(payout.payment) ? movePayment(payout, { kind: 'cancel' }) : []))
}

/**
 * Whether a payout has still the verdict or first approval that a new one was based on; `at` is ms since 1970, null for
 * none. A first of two that does not count, because its member has `lapsed`, may have been seen or not.
 */
export function isStillDecidedAt(
  { list }: Payouts,
  id: PayoutId,
  at: number | null,
  lapsed: AdminKeyId | null = null,
): boolean {
  const payout = list.get(id)
  if (!payout) return true
  const { decidedAt } = payout
  const first = payout.firstApproval ?? payout.firstForfeit
  return (first?.at ?? decidedAt) === at || (first?.member === lapsed && decidedAt === at)
}

function existing({ account, payouts }: Pick<PayoutState, 'account' | 'payouts'>, id: PayoutId): Payout {
  const payout = account.erased ? undefined : payouts.list.get(id)
  if (!payout) throw payoutNotFound()
  return payout
}

function payoutNotFound(): Refused {
  return new Refused('not-found', 'Payout request not found')
}

function alreadyDecided(status: PayoutStatus): Refused {
  return new Refused('conflict', `This payout is already ${status}`)
}

function decidable(state: PayoutState, id: PayoutId, verdict: PayoutStatus): Payout {
  const payout = existing(state, id)
  if (payout.status === 'withdrawn') throw alreadyDecided(payout.status)
  // A rejection also ends the approval of a payout that was rejected before.
  if (payout.status === verdict && !(verdict === 'rejected' && payout.firstApproval)) throw alreadyDecided(verdict)
  return payout
}

function amountsOf(payouts: readonly Payout[]): number[] {
  return payouts.map(({ amount }) => amount)
}

function nextPayoutId(account: PayoutState['account'], payouts: Payouts): PayoutId {
  return payoutId.parse(`${account.id}-p${payouts.list.highest + 1}`)
}
