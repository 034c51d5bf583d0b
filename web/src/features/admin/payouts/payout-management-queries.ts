import { AdminPayout, VerdictGiven } from '#services/modules/payouts/payout-api.ts'
import { BASED_ON_HEADER } from '#services/api/headers.ts'
import { addressWith, type Query, sendAndParse } from '@/api/api.ts'
import { formatMoney } from '@/format/money.ts'
import { FRESH, readQuery } from '@/query-client.ts'
import { adminChange } from '@/features/admin/admin-change.ts'
import { type Address, listQuery, ROWS } from '@/features/admin/lists/list-query.ts'

/** Payout requests for administrators (specification §7). */

/** The page of payouts that an address of /admin/payouts names; `of` is a user's id. */
export function payoutPageOf({ search, of, sort = 'queue', size = ROWS, ...rest }: Address<'search' | 'status' | 'of' | 'sort' | 'size' | 'cursor'>): Query {
  return { ...rest, search: search?.trim(), userId: of, sort, limit: size }
}

/** A list shows the names and accounts of users, and loses the first approvals of a member whose access ends. */
const subjects = ['payouts', 'users', 'accounts', 'staff'] as const

export const payoutsQuery = (page: Query) => listQuery('payouts', AdminPayout.array(), page, subjects)

/** The newest payouts of a user with the account as it is now, read again for every decision. */
export const payoutsOfUser = (userId: string) =>
  readQuery(['admin', 'payouts', 'of', userId], addressWith('/api/admin/payouts', { userId, limit: 100 }), AdminPayout.array(), {
    subjects,
    staleTime: 0,
  })

/** The pending payouts of /admin, the oldest first. */
export const pendingPayoutsQuery = (search: string | undefined, cursor: string | undefined) =>
  listQuery('payouts', AdminPayout.array(), { search: search?.trim(), limit: ROWS, status: 'pending', sort: 'createdAt', cursor }, subjects, FRESH.adminTabs)

/** The approved and rejected payouts of /admin. */
export const decidedPayoutsQuery = (search: string | undefined, cursor: string | undefined) =>
  listQuery('payouts', AdminPayout.array(), { search: search?.trim(), limit: ROWS, status: 'decided', cursor }, subjects, FRESH.adminTabs)

export type Verdict = 'approved' | 'rejected'

/** To look at a payout, or to decide it. */
export type Intent = 'review' | Verdict

interface PayoutDecision {
  /** As shown to the administrator. */
  readonly payout: AdminPayout
  readonly status: Verdict
  readonly adminNotes: string
}

/** Sends a verdict on the state that was shown. @throws {ApiError} 409, when another verdict or first approval was given since. */
export function sendVerdict({ payout: { id, firstApproval, decidedAt }, status, adminNotes }: PayoutDecision): Promise<VerdictGiven> {
  return sendAndParse('PATCH', `/api/admin/payouts/${encodeURIComponent(id)}`, { status, adminNotes }, VerdictGiven, {
    [BASED_ON_HEADER]: firstApproval?.at ?? decidedAt ?? 'undecided',
  })
}

/** Whether an approval was the first of two: the payout stays as it was. */
export function isFirstOfTwo(verdict: Verdict, { status }: VerdictGiven): boolean {
  return verdict === 'approved' && status !== 'approved'
}

/** Decides a payout as shown. The server refuses when another administrator was faster, and says who; the lists then show the present state. */
export const decidePayout = adminChange({
  send: sendVerdict,
  done: ({ status, payout: { amount, user, userId } }, answer) => {
    const about = `${formatMoney(amount)} to ${user.fullName}.`
    return isFirstOfTwo(status, answer)
      ? ['First approval given: 1 of 2', `${about} Another member of staff has to approve it too.`, userId]
      : [`Payout ${status} successfully`, about, userId]
  },
  failed: ({ status }) => (status === 'approved' ? 'Failed to approve payout' : 'Failed to reject payout'),
})
