import { Map as ImmutableMap } from 'immutable'
import { z } from 'zod'
import { type AppendedEvent, type EventOf, defineEvents, personal } from '#services/event-sourcing/event-definitions.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { ERASED } from '#services/event-sourcing/erased.ts'
import { type Account, accountNotFound } from '#services/modules/accounts/account.ts'
import { type AdminKeyId, adminKeyId, type PayoutId, payoutId } from '#services/modules/ids.ts'
import { type Cents, cents } from '#services/money/money.ts'
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
  PayoutApproved: { payoutId, from: payoutStatus, amount: cents, notes: z.string() },
  PayoutRejected: { payoutId, from: payoutStatus, amount: cents, notes: z.string() },
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
  /** The first of two approvals, until a verdict. */
  readonly firstApproval: { readonly member: AdminKeyId; readonly at: number } | null
}

/** The payouts of an account. */
export interface Payouts {
  readonly list: NumberedList<PayoutId, Payout>
  readonly idempotencyKeys: ImmutableMap<string, { readonly payoutId: PayoutId; readonly digest: string }>
}

/** The parts of an account's state that decisions on its payouts need. */
export interface PayoutState {
  readonly account: Pick<Account, 'id' | 'open' | 'erased' | 'payoutsEnabled'>
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
        firstApproval: null,
      })
      if (!idempotency) return { ...payouts, list: requested }
      return {
        list: requested,
        idempotencyKeys: idempotencyKeys.set(idempotency.key, { payoutId: id, digest: idempotency.digest }),
      }
    }
    case 'PayoutFirstApproved': {
      const payout = list.get(data.payoutId)
      return payout
        ? { ...payouts, list: list.with({ ...payout, firstApproval: { member: data.member, at } }) }
        : payouts
    }
    case 'PayoutApproved':
    case 'PayoutRejected': {
      const payout = list.get(data.payoutId)
      if (!payout) return payouts
      const status = type === 'PayoutApproved' ? 'approved' : 'rejected'
      const decided = { ...payout, status, notes: data.notes, decidedAt: at, firstApproval: null } as const
      return { ...payouts, list: list.with(decided) }
    }
  }
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

/** Whether money would go elsewhere than with the last request that was not rejected. */
export function isNewDestination({ list }: Payouts, method: PayoutMethod, details: string): boolean {
  const last = [...list.values()].findLast(({ status }) => status !== 'rejected')
  return last?.method !== method || last.details !== details
}

export type PayoutRequest = Omit<Extract<PayoutEvent, { type: 'PayoutRequested' }>['data'], 'payoutId'>

const NOT_ELIGIBLE = 'Your account is not currently eligible for payouts. Please contact support for more information.'

/**
 * Asks for a payout: above 0 (specification §5), and only while payouts are enabled (§6). A repeated idempotency key
 * asks nothing new.
 */
export function requestPayout({ account, payouts }: PayoutState, request: PayoutRequest): PayoutEvent[] {
  if (earlierRequest(payouts, request.idempotency)) return []
  if (!account.id || account.erased) throw accountNotFound()
  if (!account.open || !account.payoutsEnabled) throw new Refused('forbidden', NOT_ELIGIBLE)
  if (request.amount <= 0) throw new Refused('invalid', 'Amount must be greater than 0', 'amount')
  return [{ type: 'PayoutRequested', data: { payoutId: nextPayoutId({ account, payouts }), ...request } }]
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

/**
 * A rejected payout may still be approved and the other way round; the same verdict twice is refused (specification
 * §4). Above an amount the first approval is only recorded, and the second has to be another member's.
 */
export function approvePayout(state: PayoutState, id: PayoutId, notes = '', approver?: Approver): PayoutEvent[] {
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
  return [{ type: 'PayoutApproved', data: { payoutId: id, from: payout.status, amount: payout.amount, notes } }]
}

/** Rejecting needs a reason: the notes may not be blank (specification §2, admin payouts). */
export function rejectPayout(state: PayoutState, id: PayoutId, notes: string): PayoutEvent[] {
  if (notes.trim() === '') throw new Refused('invalid', 'Please provide notes for rejecting this payout', 'adminNotes')
  const payout = decidable(state, id, 'rejected')
  return [{ type: 'PayoutRejected', data: { payoutId: id, from: payout.status, amount: payout.amount, notes } }]
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

function decidable({ account, payouts }: PayoutState, id: PayoutId, verdict: PayoutStatus): Payout {
  const payout = account.erased ? undefined : payouts.list.get(id)
  if (!payout) throw new Refused('not-found', 'Payout request not found')
  // A rejection also ends the approval of a payout that was rejected before.
  if (payout.status === verdict && !(verdict === 'rejected' && payout.firstApproval))
    throw new Refused('conflict', `This payout is already ${verdict}`)
  return payout
}

function nextPayoutId({ account, payouts }: PayoutState): PayoutId {
  return payoutId.parse(`${account.id}-p${payouts.list.highest + 1}`)
}
