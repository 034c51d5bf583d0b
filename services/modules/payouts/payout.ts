import type { Map as ImmutableMap } from 'immutable'
import { z } from 'zod'
import { type AppendedEvent, type EventOf, defineEvents, personal } from '#services/event-sourcing/event-definitions.ts'
import { type AdminKeyId, adminKeyId, type PayoutId, payoutId, type UserId } from '#services/modules/ids.ts'
import { type Cents, cents } from '#services/money/money.ts'
import type { NumberedList } from '#services/event-sourcing/numbered-list.ts'
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
  readonly status: PayoutStatus
  readonly notes: string | null
  readonly requestedAt: number
  readonly decidedAt: number | null
  /** The first of two approvals, until a verdict. */
  readonly firstApproval: { readonly member: AdminKeyId; readonly at: number } | null
}

/** The part of a trading account that decisions on its payouts need. */
export interface PayoutAccount {
  readonly userId: UserId | null
  /** Opened and not closed. */
  readonly open: boolean
  readonly payoutsEnabled: boolean
  readonly payouts: NumberedList<PayoutId, Payout>
  readonly idempotencyKeys: ImmutableMap<string, { readonly payoutId: PayoutId; readonly digest: string }>
}

/** What changes in the account of the payouts. */
export function evolvePayouts(
  { payouts, idempotencyKeys }: PayoutAccount,
  { type, data, at }: AppendedEvent<PayoutEvent>,
): Partial<Pick<PayoutAccount, 'payouts' | 'idempotencyKeys'>> {
  switch (type) {
    case 'PayoutRequested': {
      const { payoutId: id, amount, method, idempotency } = data
      const requested = payouts.with({
        id,
        amount,
        method,
        status: 'pending',
        notes: null,
        requestedAt: at,
        decidedAt: null,
        firstApproval: null,
      })
      if (!idempotency) return { payouts: requested }
      return {
        payouts: requested,
        idempotencyKeys: idempotencyKeys.set(idempotency.key, { payoutId: id, digest: idempotency.digest }),
      }
    }
    case 'PayoutFirstApproved': {
      const payout = payouts.get(data.payoutId)
      return payout ? { payouts: payouts.with({ ...payout, firstApproval: { member: data.member, at } }) } : {}
    }
    case 'PayoutApproved':
    case 'PayoutRejected': {
      const payout = payouts.get(data.payoutId)
      if (!payout) return {}
      const status = type === 'PayoutApproved' ? 'approved' : 'rejected'
      return { payouts: payouts.with({ ...payout, status, notes: data.notes, decidedAt: at, firstApproval: null }) }
    }
  }
}

export type PayoutRequest = Omit<Extract<PayoutEvent, { type: 'PayoutRequested' }>['data'], 'payoutId'>

const NOT_ELIGIBLE = 'Your account is not currently eligible for payouts. Please contact support for more information.'

/**
 * Asks for a payout: above 0 (specification §5), and only while payouts are enabled (§6). A repeated idempotency key
 * asks nothing new.
 */
export function requestPayout(account: PayoutAccount, request: PayoutRequest): PayoutEvent[] {
  if (earlierRequest(account, request.idempotency)) return []
  if (!account.open || !account.payoutsEnabled) throw new Refused('forbidden', NOT_ELIGIBLE)
  if (request.amount <= 0) throw new Refused('invalid', 'Amount must be greater than 0', 'amount')
  return [{ type: 'PayoutRequested', data: { payoutId: nextPayoutId(account), ...request } }]
}

/**
 * The payout that this idempotency key made before, if any.
 *
 * @throws {Refused} conflict, when the key came with another body.
 */
export function earlierRequest(
  account: PayoutAccount,
  idempotency: PayoutRequest['idempotency'],
): PayoutId | undefined {
  const earlier = idempotency && account.idempotencyKeys.get(idempotency.key)
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
export function approvePayout(account: PayoutAccount, id: PayoutId, notes = '', approver?: Approver): PayoutEvent[] {
  const payout = decidable(account, id, 'approved')
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
export function rejectPayout(account: PayoutAccount, id: PayoutId, notes: string): PayoutEvent[] {
  if (notes.trim() === '') throw new Refused('invalid', 'Please provide notes for rejecting this payout', 'adminNotes')
  const payout = decidable(account, id, 'rejected')
  return [{ type: 'PayoutRejected', data: { payoutId: id, from: payout.status, amount: payout.amount, notes } }]
}

/**
 * Whether a payout has still the verdict or first approval that a new one was based on; `at` is ms since 1970, null for
 * none. A first approval that does not count, because its member has `lapsed`, may have been seen or not.
 */
export function isStillDecidedAt(
  account: PayoutAccount,
  id: PayoutId,
  at: number | null,
  lapsed: AdminKeyId | null = null,
): boolean {
  const payout = account.payouts.get(id)
  if (!payout) return true
  const { firstApproval, decidedAt } = payout
  return (firstApproval?.at ?? decidedAt) === at || (firstApproval?.member === lapsed && decidedAt === at)
}

function decidable(account: PayoutAccount, id: PayoutId, verdict: PayoutStatus): Payout {
  const payout = account.open ? account.payouts.get(id) : undefined
  if (!payout) throw new Refused('not-found', 'Payout request not found')
  // A rejection also ends the approval of a payout that was rejected before.
  if (payout.status === verdict && !(verdict === 'rejected' && payout.firstApproval))
    throw new Refused('conflict', `This payout is already ${verdict}`)
  return payout
}

function nextPayoutId(account: PayoutAccount): PayoutId {
  return payoutId.parse(`${account.userId}-p${account.payouts.highest + 1}`)
}
