import {
  type AdminPayout,
  type DestinationRequest,
  payoutRoutes,
  type VerdictGiven,
} from '#services/payments/payouts/payout-api.ts'
import { paymentStateLabels } from '#services/trading/stream/payout-vocabulary.ts'
import { BASED_ON_HEADER } from '#services/framework/api/headers.ts'
import { type QueryOf, sendAndParse } from '@/api/api.ts'
import { pageQuery, routeQuery } from '@/api/route-query.ts'
import { limitOf } from '@/form/typed-amount.ts'
import { formatMoney } from '@/format/money.ts'
import { FRESH } from '@/query-client.ts'
import { staffChange } from '@/features/frame/staff-change.ts'
import type { PaymentBody } from './payment-moves.ts'
import type { reasonsInBody } from './rejection-reasons.ts'
import { type Address, endOfDay, ROWS, startOfDay } from '@/lists/list-query.ts'

/** Payout requests for administrators (specification §7). */

type PayoutPage = QueryOf<typeof payoutRoutes.payouts>

/** Filters of the list beside the status, by their names in the address and the call. */
export const payoutFilters = [
  'payment',
  'method',
  'batch',
  'minAmount',
  'maxAmount',
  'from',
  'to',
  'olderThan',
  'approvals',
  'overdue',
] as const

/** The page of payouts that an address of /admin/payouts names; `of` is a user's id, `ofAccount` an account's. */
export function payoutPageOf({
  search,
  of,
  ofAccount,
  sort = 'queue',
  size = ROWS,
  minAmount,
  maxAmount,
  from,
  to,
  ...rest
}: Address<
  'search' | 'status' | 'of' | 'ofAccount' | 'sort' | 'size' | 'cursor' | (typeof payoutFilters)[number]
>): PayoutPage {
  return {
    ...rest,
    minAmount: limitOf(minAmount),
    maxAmount: limitOf(maxAmount),
    from: startOfDay(from),
    to: endOfDay(to),
    search: search?.trim(),
    userId: of,
    account: ofAccount,
    sort,
    limit: size,
  }
}

/** A list shows the names and accounts of users, and loses the first approvals of a member whose access ends. */
const subjects = ['payouts', 'users', 'accounts', 'staff'] as const

export const payoutsQuery = (query: PayoutPage) => pageQuery(payoutRoutes.payouts, { query, subjects })

/** The sums of a filtered list. */
export const payoutFiguresQuery = ({ limit: _limit, cursor: _cursor, ...query }: PayoutPage) =>
  routeQuery(payoutRoutes.payoutFigures, { query, subjects })

/**
 * Reads the totals of payouts, also in euro at a rate. Another selection is another query, so that no total is shown
 * beside another count. Past selections are not kept.
 */
export const payoutTotalsQuery = (payouts: readonly AdminPayout[], rate?: string) =>
  routeQuery(
    payoutRoutes.payoutTotals,
    { body: { payouts: payouts.map(({ id }) => id), rate }, subjects: ['payouts'] },
    { enabled: payouts.length > 0, gcTime: 0 },
  )

/** Reads what a verdict on a payout depends on, again for every decision. */
export const contextOfPayout = (id: string) =>
  routeQuery(payoutRoutes.payoutContext, { params: { id }, subjects }, { staleTime: 0 })

const tabQuery = (query: PayoutPage) =>
  pageQuery(payoutRoutes.payouts, { query: { ...query, limit: ROWS }, subjects }, { staleTime: FRESH.adminTabs })

/** The pending payouts of /admin, the oldest first. */
export const pendingPayoutsQuery = (search: string | undefined, cursor: string | undefined) =>
  tabQuery({ search: search?.trim(), status: 'pending', sort: 'createdAt', cursor })

/** The approved and rejected payouts of /admin. */
export const decidedPayoutsQuery = (search: string | undefined, cursor: string | undefined) =>
  tabQuery({ search: search?.trim(), status: 'decided', cursor })

export type Verdict = 'approved' | 'rejected'

/** To look at a payout, or to decide it. */
export type Intent = 'review' | Verdict

interface PayoutDecision {
  /** As shown to the administrator. */
  readonly payout: AdminPayout
  readonly status: Verdict
  readonly adminNotes: string
  readonly more?: VerdictDetails
}

/** What a verdict says beside its notes. */
export interface VerdictDetails extends ReturnType<typeof reasonsInBody> {
  /** An approval takes the amount off the balance. */
  readonly deduct?: true
}

/**
 * Sends a verdict on the state that was shown.
 *
 * @throws {ApiError} 409, when another verdict or first approval was given since.
 */
export function sendVerdict({ payout, status, adminNotes, more = {} }: PayoutDecision): Promise<VerdictGiven> {
  const { id, firstApproval, firstForfeit, decidedAt } = payout
  return sendAndParse(payoutRoutes.decidePayout, {
    params: { id },
    body: { status, adminNotes, ...more, seen: seenOf(payout) },
    headers: { [BASED_ON_HEADER]: (firstApproval ?? firstForfeit)?.at ?? decidedAt ?? 'undecided' },
  })
}

/** Returns a payout as it was shown: the server refuses where its record says something else. */
function seenOf({ amount, destinationDigest: destination, user: { fullName: name } }: AdminPayout) {
  return { amount, destination, name }
}

/** Whether an approval or a forfeit was the first of two: the payout stays as it was. */
export function isFirstOfTwo(verdict: Verdict, { status }: VerdictGiven): boolean {
  return verdict !== status
}

/**
 * Decides a payout as shown. The server refuses when another administrator was faster, and says who; the lists then
 * show the present state.
 */
export const decidePayout = staffChange({
  send: sendVerdict,
  done: ({ status, payout: { amount, user, userId } }, answer) => {
    const about = `${formatMoney(amount)} to ${user.fullName}.`
    return isFirstOfTwo(status, answer)
      ? status === 'approved'
        ? ['First approval given: 1 of 2', `${about} Another member of staff has to approve it too.`, userId]
        : ['First forfeit given: 1 of 2', `${about} Another member of staff has to forfeit it too.`, userId]
      : [`Payout ${status} successfully`, about, userId]
  },
  failed: ({ status }) => (status === 'approved' ? 'Failed to approve payout' : 'Failed to reject payout'),
})

interface PaymentMove {
  /** As shown to the member. */
  readonly payout: AdminPayout
  readonly body: PaymentBody
}

/** Records what became of a payment, or its hold. */
export const changePayment = staffChange({
  send: ({ payout, body }: PaymentMove) =>
    sendAndParse(payoutRoutes.changePayment, { params: { id: payout.id }, body: { ...body, seen: seenOf(payout) } }),
  done: ({ payout: { amount, traderReceives, user, userId } }, { payment, hold }) => [
    hold ? 'Payout on hold' : payment ? `Payment: ${paymentStateLabels[payment.state]}` : 'Payout released',
    `${formatMoney(traderReceives ?? amount)} to ${user.fullName}.`,
    userId,
  ],
  failed: () => 'The payment was not changed',
})

interface DestinationChange {
  /** As shown to the member. */
  readonly payout: AdminPayout
  /** As typed. */
  readonly destination: DestinationRequest
  readonly reason: string
}

/** Gives the payment of a payout another destination: at once, or as the first of two members. */
export const changeDestination = staffChange({
  send: async ({ payout, destination, reason }: DestinationChange) => {
    const body = { destination, reason, seen: seenOf(payout) }
    const after = await sendAndParse(payoutRoutes.changeDestination, { params: { id: payout.id }, body })
    return { isFirst: JSON.stringify(after.destination) === JSON.stringify(payout.destination) }
  },
  done: ({ payout: { amount, traderReceives, user, userId } }, { isFirst }) => [
    isFirst ? 'Destination given: 1 of 2' : 'New destination given',
    `${formatMoney(traderReceives ?? amount)} to ${user.fullName}.${isFirst ? ' Another member of staff has to give the same.' : ''}`,
    userId,
  ],
  failed: () => 'The destination was not changed',
})
