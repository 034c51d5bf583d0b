import { z } from 'zod'
import { ERASED } from '#services/event-sourcing/erased.ts'
import { defineEvents, type EventOf, personal } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type AdminKeyId, adminKeyId, type PayoutId, payoutId } from '#services/framework/ids.ts'
import { destination } from './destination-vocabulary.ts'
import { isOwed, type Payment } from './payment.ts'
import type { payoutStatuses } from './payout-vocabulary.ts'

/** Where the money of a payout goes, and how another destination is given. */

/** In the trader's own words, or checked. */
const whereabouts = z.object({ details: z.string(), destination: destination.nullable() })
export type Whereabouts = Readonly<z.infer<typeof whereabouts>>

const erased = { details: ERASED, destination: null }

export const destinationEvents = defineEvents({
  /** The reason is that of staff; null where the trader gave it. */
  PayoutDestinationChanged: {
    payoutId,
    from: personal(whereabouts, erased),
    to: personal(whereabouts, erased),
    reason: z.string().nullable(),
  },
  /** By the first of two members of staff; it counts once another one gives the same. */
  PayoutDestinationProposed: { payoutId, to: personal(whereabouts, erased), reason: z.string(), member: adminKeyId },
})

export type DestinationEvent = EventOf<typeof destinationEvents>

/** A destination that another member of staff has to give, too. */
export interface DestinationProposal {
  readonly to: Whereabouts
  readonly reason: string
  readonly member: AdminKeyId
  /** In ms. */
  readonly at: number
}

/** The parts of a payout that its destination depends on. */
export interface Directed extends Whereabouts {
  readonly id: PayoutId
  readonly status: (typeof payoutStatuses)[number]
  readonly payment: Payment | null
  readonly proposal: DestinationProposal | null
}

/** Who gives a destination: the trader, or a member of staff with a reason. */
export type DestinationGiver = 'trader' | StaffGiver

export interface StaffGiver {
  readonly reason: string
  readonly member: AdminKeyId
  /** Two members have to give the same one. */
  readonly needsTwo: boolean
  /** A member who may not pay any more: their proposal does not count. */
  readonly lapsed: AdminKeyId | null
}

/** Returns a text that tells one destination from another of the same method. */
export function whereTo({ details, destination }: Whereabouts): string {
  return destination ? JSON.stringify(Object.entries(destination).toSorted()) : details
}

/** Whether another destination may be given: the payment failed, came back, or is not sent and was not checked. */
export function takesDestination({ status, payment, destination }: Omit<Directed, 'id' | 'details' | 'proposal'>) {
  if (status === 'pending') return destination === null
  return payment !== null && isOwed(payment) && (destination === null || payment.owedAs !== 'open')
}

/**
 * Gives the payment of a payout another destination.
 *
 * @throws {Refused} conflict, where it has one that was checked, or the money is on its way or not owed; and for the
 * member who proposed the same one.
 */
export function redirect(payout: Directed, to: Whereabouts, by: DestinationGiver): DestinationEvent[] {
  const { id, details, destination, proposal } = payout
  if (!takesDestination(payout)) throw new Refused('conflict', whyNot(payout))
  if (by !== 'trader' && by.needsTwo) {
    const { reason, member } = by
    if (!proposal || proposal.member === by.lapsed || whereTo(proposal.to) !== whereTo(to))
      return [{ type: 'PayoutDestinationProposed', data: { payoutId: id, to, reason, member } }]
    if (proposal.member === member)
      throw new Refused('conflict', 'You gave this destination. Another member of staff has to give the same one.')
  }
  const reason = by === 'trader' ? null : by.reason
  return [{ type: 'PayoutDestinationChanged', data: { payoutId: id, from: { details, destination }, to, reason } }]
}

function whyNot({ status, payment }: Directed): string {
  if (status !== 'pending' && status !== 'approved') return `This payout is already ${status}`
  switch (payment?.state) {
    case 'sent':
    case 'paid':
      return 'The payment was sent. Where it goes cannot be changed any more.'
    case 'cancelled':
      return 'The payment was cancelled. It goes nowhere.'
    default:
      return 'The destination of this payout was checked. Another one can be given once a payment fails or comes back.'
  }
}

/** A destination that a payout had, and how many references its payments were given up to then. */
export type FormerDestination = Whereabouts & { readonly attempts: number }

/** Where the payment of an attempt went, or goes: the file of a released batch stays as it is. */
export function destinationOfAttempt(
  { details, destination, former }: Whereabouts & { readonly former: readonly FormerDestination[] },
  attempt: number,
): Whereabouts {
  return former.find(({ attempts }) => attempts >= attempt) ?? { details, destination }
}
