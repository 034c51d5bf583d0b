import { Map as ImmutableMap } from 'immutable'
import { z } from 'zod'
import { type AppendedEvent, type EventOf, defineEvents, personal } from '#services/event-sourcing/event-definitions.ts'
import { approvedShares, assertRequestable, sumOf } from './available-payout.ts'
import type { Stage } from '#services/modules/accounts/stage.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { ERASED } from '#services/event-sourcing/erased.ts'
import { type Account, accountNotFound } from '#services/modules/accounts/account.ts'
import { type AdminKeyId, adminKeyId, type PayoutId, payoutId } from '#services/modules/ids.ts'
import { inDollars } from '#services/api/money.ts'
import { type Cents, cents, noMoney, toCents } from '#services/money/money.ts'
import { NumberedList } from '#services/event-sourcing/numbered-list.ts'
import { payoutMethods, payoutStatuses } from './payout-vocabulary.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'

/** Payouts of a trading account and the verdicts on them (specification §4, §6). */

export const payoutStatus = z.enum(payoutStatuses)
export const payoutMethod = z.enum(payoutMethods)

export const payoutEvents = defineEvents({
  PayoutRequested: {
    payoutId,
    amount: cents,
    method: payoutMethod,
    details: personal(z.string()),
    /** The request's Idempotency-Key and a digest of its body, so that a repetition is known for good. */
    idempotency: z.object({ key: z.string(), digest: z.string() }).nullable(),
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
  PayoutRejected: { payoutId, from: payoutStatus, amount: cents, notes: z.string() },
  /** By its trader, while it waited. */
  PayoutWithdrawn: { payoutId, amount: cents },
  /** Why its payment waits until somebody releases it; null where it does not. */
  PayoutHoldChanged: { payoutId, from: z.string().nullable(), to: z.string().nullable() },
  /** An approved amount left the balance, in the append of its approval. */
  PayoutDeducted: { payoutId, from: cents, to: cents },
  /** It came back, because the approval was taken back. */
  PayoutBookedBack: { payoutId, from: cents, to: cents },
})

export type PayoutEvent = EventOf<typeof payoutEvents>
export type PayoutStatus = z.infer<typeof payoutStatus>
export type PayoutMethod = z.infer<typeof payoutMethod>

export interface Payout {
  readonly id: PayoutId
  readonly amount: Cents
  readonly method: PayoutMethod
  /** Where the money goes. */
  readonly details: string
  readonly status: PayoutStatus
  readonly notes: string | null
  readonly requestedAt: number
  readonly decidedAt: number | null
  /** What trader and firm get of an approved one. */
  readonly shares: { readonly trader: Cents; readonly firm: Cents } | null
  /** Its amount has left the balance. */
  readonly deducted: boolean
  /** The first of two approvals, until a verdict. */
  readonly firstApproval: { readonly member: AdminKeyId; readonly at: number } | null
  /** Why its payment waits until somebody releases it. */
  readonly hold: { readonly reason: string; readonly at: number } | null
}

/** The payouts of an account. */
export interface Payouts {
  readonly list: NumberedList<PayoutId, Payout>
  readonly idempotencyKeys: ImmutableMap<string, { readonly payoutId: PayoutId; readonly digest: string }>
}

/** The parts of an account's state that decisions on its payouts need. */
export interface PayoutState {
  /** Null without terms: then any amount is possible. */
  readonly stage: Stage | null
  readonly account: Pick<Account, 'id' | 'open' | 'erased' | 'payoutsEnabled' | 'balance'>
  readonly payouts: Payouts
}

function evolve(payouts: Payouts, { type, data, at }: AppendedEvent<PayoutEvent>): Payouts {
  const { list, idempotencyKeys } = payouts
  switch (type) {
    case 'PayoutRequested': {
      const { payoutId: id, amount, method, details, idempotency } = data
      const requested = list.with({
        id,
        amount,
        method,
        details,
        status: 'pending',
        notes: null,
        requestedAt: at,
        decidedAt: null,
        shares: null,
        deducted: false,
        firstApproval: null,
        hold: null,
      })
      if (!idempotency) return { ...payouts, list: requested }
      return {
        list: requested,
        idempotencyKeys: idempotencyKeys.set(idempotency.key, { payoutId: id, digest: idempotency.digest }),
      }
    }
    case 'PayoutFirstApproved':
      return withPayout(payouts, data.payoutId, { firstApproval: { member: data.member, at } })
    case 'PayoutApproved': {
      const shares = { trader: data.traderReceives, firm: data.firmKeeps }
      return withPayout(payouts, data.payoutId, { ...decided(data.notes, at), status: 'approved', shares })
    }
    case 'PayoutRejected':
      return withPayout(payouts, data.payoutId, { ...decided(data.notes, at), status: 'rejected', shares: null })
    case 'PayoutWithdrawn':
      return withPayout(payouts, data.payoutId, { ...decided('', at), status: 'withdrawn' })
    case 'PayoutHoldChanged':
      return withPayout(payouts, data.payoutId, { hold: data.to === null ? null : { reason: data.to, at } })
    case 'PayoutDeducted':
      return withPayout(payouts, data.payoutId, { deducted: true })
    case 'PayoutBookedBack':
      return withPayout(payouts, data.payoutId, { deducted: false })
  }
}

function withPayout(payouts: Payouts, id: PayoutId, changes: Partial<Payout>): Payouts {
  const payout = payouts.list.get(id)
  return payout ? { ...payouts, list: payouts.list.with({ ...payout, ...changes }) } : payouts
}

function decided(notes: string, at: number): Pick<Payout, 'notes' | 'decidedAt' | 'firstApproval'> {
  return { notes, decidedAt: at, firstApproval: null }
}

export const payoutDecider: Decider<Payouts, PayoutEvent> = {
  initial: { list: new NumberedList(), idempotencyKeys: ImmutableMap() },
  evolve,
}

/** The payouts of a deleted user. */
export function withoutDetails({ list, ...payouts }: Payouts): Payouts {
  return { ...payouts, list: [...list.values()].reduce((all, one) => all.with({ ...one, details: ERASED }), list) }
}

/** The payouts that wait for a verdict, oldest first. */
export function pendingPayouts({ list }: Payouts): Payout[] {
  return [...list.values()].filter(({ status }) => status === 'pending')
}

/** Whether money would go elsewhere than with the last request that was neither rejected nor withdrawn. */
export function isNewDestination({ list }: Payouts, method: PayoutMethod, details: string): boolean {
  const last = [...list.values()].findLast(({ status }) => status !== 'rejected' && status !== 'withdrawn')
  return last?.method !== method || last.details !== details
}

export type PayoutRequest = Omit<Extract<PayoutEvent, { type: 'PayoutRequested' }>['data'], 'payoutId'>

/** How long a new destination is doubtful after the email or the password changed. */
const DOUBTFUL = 72 * 3_600_000

const TAKEOVER =
  'The email was changed or the password reset within 72 hours before this request, and the destination is new.'

const NOT_ELIGIBLE = 'Your account is not currently eligible for payouts. Please contact support for more information.'

/**
 * Asks for a payout at a moment, in ms: above 0 (specification §5), only while payouts are enabled (§6), and what the
 * terms allow. A repeated idempotency key asks nothing new.
 *
 * @param accessChangedAt When the trader's email last changed or the password was reset, in ms: a new destination is on
 * hold for a while after that.
 */
export function requestPayout(
  { account, stage, payouts }: PayoutState,
  request: PayoutRequest,
  now: number,
  accessChangedAt: number | null = null,
): PayoutEvent[] {
  if (earlierRequest(payouts, request.idempotency)) return []
  if (!account.id || account.erased) throw accountNotFound()
  if (!account.open || !account.payoutsEnabled) throw new Refused('forbidden', NOT_ELIGIBLE)
  if (request.amount <= 0) throw new Refused('invalid', 'Amount must be greater than 0', 'amount')
  if (stage) assertRequestable(stage, now, amountsOf(pendingPayouts(payouts)), request.amount)
  const id = nextPayoutId(account, payouts)
  const isDoubtful =
    accessChangedAt !== null &&
    now - accessChangedAt < DOUBTFUL &&
    isNewDestination(payouts, request.method, request.details)
  return [
    { type: 'PayoutRequested', data: { payoutId: id, ...request } },
    ...(isDoubtful ? [{ type: 'PayoutHoldChanged', data: { payoutId: id, from: null, to: TAKEOVER } } as const] : []),
  ]
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
  /** The amount leaves the balance. With terms it always does. */
  readonly deduct?: boolean
  /** In ms. */
  readonly now: number
}

/**
 * A rejected payout may still be approved and the other way round; the same verdict twice is refused (specification
 * §4). Above an amount the first approval is only recorded, and the second has to be another member's: that one takes
 * effect. What the terms allow is reckoned anew at that moment.
 */
export function approvePayout(
  state: PayoutState,
  id: PayoutId,
  { notes = '', approver, deduct = false, now }: Approval,
): PayoutEvent[] {
  const payout = decidable(state, id, 'approved')
  if (approver && approver.secondApprovalAbove !== null && payout.amount > approver.secondApprovalAbove) {
    const { member, lapsed } = approver
    if (!payout.firstApproval || payout.firstApproval.member === lapsed)
      return [
        {
          type: 'PayoutFirstApproved',
          data: { payoutId: id, from: payout.status, amount: payout.amount, notes, member },
        },
      ]
    if (payout.firstApproval.member === member)
      throw new Refused(
        'conflict',
        'You gave the first approval of this payout. Another member of staff has to give the second.',
      )
  }
  const { status: from, amount } = payout
  const { stage } = state
  const { balance } = state.account
  const others = pendingPayouts(state.payouts).filter((other) => other.id !== id)
  const shares = stage
    ? approvedShares(stage, now, amount, sumOf(amountsOf(others)))
    : { trader: amount, firm: noMoney }
  if (deduct && !stage && amount > balance)
    throw new Refused('conflict', `The balance of ${inDollars(balance)} does not cover this payout`, 'deduct')
  const parts = { traderReceives: toCents(shares.trader), firmKeeps: toCents(shares.firm) }
  const approved = { payoutId: id, from, amount, notes, ...parts }
  const deduction = { payoutId: id, from: balance, to: toCents(balance - amount) }
  return [
    { type: 'PayoutApproved', data: approved },
    ...(deduct || stage ? [{ type: 'PayoutDeducted', data: deduction } as const] : []),
  ]
}

/**
 * Rejecting needs a reason: the notes may not be blank (specification §2, admin payouts). What an approval deducted is
 * booked back.
 */
export function rejectPayout(state: PayoutState, id: PayoutId, notes: string): PayoutEvent[] {
  if (notes.trim() === '') throw new Refused('invalid', 'Please provide notes for rejecting this payout', 'adminNotes')
  const payout = decidable(state, id, 'rejected')
  const { status: from, amount, deducted } = payout
  const { balance } = state.account
  const reversal = { payoutId: id, from: balance, to: toCents(balance + amount) }
  return [
    { type: 'PayoutRejected', data: { payoutId: id, from, amount, notes } },
    ...(deducted ? [{ type: 'PayoutBookedBack', data: reversal } as const] : []),
  ]
}

/** Takes a request back for good, while it waits. */
export function withdrawPayout({ account, payouts }: PayoutState, id: PayoutId): PayoutEvent[] {
  const payout = existing({ account, payouts }, id)
  if (payout.status !== 'pending') throw alreadyDecided(payout.status)
  return [{ type: 'PayoutWithdrawn', data: { payoutId: id, amount: payout.amount } }]
}

/** Puts a payout that may still be paid on hold, for a reason, or releases it with null. */
export function holdPayout(state: PayoutState, id: PayoutId, reason: string | null): PayoutEvent[] {
  const { status, hold } = existing(state, id)
  if (status !== 'pending' && status !== 'approved') throw alreadyDecided(status)
  const from = hold?.reason ?? null
  return from === reason ? [] : [{ type: 'PayoutHoldChanged', data: { payoutId: id, from, to: reason } }]
}

/**
 * Whether a payout has still the verdict or first approval that a new one was based on; `at` is ms since 1970, null for
 * none. A first approval that does not count, because its member has `lapsed`, may have been seen or not.
 */
export function isStillDecidedAt(
  { list }: Payouts,
  id: PayoutId,
  at: number | null,
  lapsed: AdminKeyId | null = null,
): boolean {
  const payout = list.get(id)
  if (!payout) return true
  const { firstApproval, decidedAt } = payout
  return (firstApproval?.at ?? decidedAt) === at || (firstApproval?.member === lapsed && decidedAt === at)
}

function existing({ account, payouts }: Pick<PayoutState, 'account' | 'payouts'>, id: PayoutId): Payout {
  const payout = account.erased ? undefined : payouts.list.get(id)
  if (!payout) throw new Refused('not-found', 'Payout request not found')
  return payout
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
