import { Money } from '#services/api/money.ts'
import { described, namedObject } from '#services/api/openapi-component.ts'
import { answer, get } from '#services/api/route.ts'
import { ListedUser } from '#services/modules/users/user-api.ts'
import { z } from 'zod'

/** The figures of the administrators' dashboard and count cards (specification §2). */

/** The number of newest users on the dashboard. */
export const RECENT_USERS = 5

const count = z.int().nonnegative()

/** The days that GET /api/admin/stats/days covers, up to today. */
export const SHOWN_DAYS = 84

/** What a day brought, in UTC. */
export const FirmDay = namedObject('FirmDay', {
  day: z.iso.date(),
  newAccounts: count,
  /** Approvals of the day, less approved payouts that were rejected on it. */
  approvedPayouts: z.int(),
  approvedAmount: Money,
})
export type FirmDay = z.infer<typeof FirmDay>

/** GET /api/admin/stats */
export const Stats = namedObject('Stats', {
  users: z.object({ total: count, active: count, pending: count, underReview: count, breached: count, banned: count }),
  /** Open accounts: a trader may have several, and counts by the current one above. */
  accounts: count,
  payouts: z.object({
    total: count,
    pending: count,
    approved: count,
    rejected: count,
    withdrawn: count,
    pendingAmount: Money,
    approvedAmount: Money,
    rejectedAmount: Money,
    withdrawnAmount: Money,
    /** Approved and not paid, with what traders receive of them, and when the oldest was approved. */
    unpaid: count,
    unpaidAmount: Money,
    oldestUnpaidAt: z.iso.datetime().nullable(),
  }),
  recentUsers: z.array(ListedUser).max(RECENT_USERS),
})
export type Stats = z.infer<typeof Stats>

/** The calls about figures of the firm. */
export const statisticsRoutes = {
  stats: get('/api/admin/stats', 'read', {
    summary: 'Counts and sums of the dashboard, and the newest users',
    position: 'waits',
    answer: answer('The figures', Stats),
  }),
  statsDays: get('/api/admin/stats/days', 'read', {
    summary: 'New accounts and approved payouts of each of the last 84 days in UTC, the oldest first',
    position: 'waits',
    answer: answer('The days', z.array(FirmDay)),
  }),
}
