import { z } from 'zod'
import { namedObject } from '#services/api/openapi-component.ts'
import { Money } from '#services/api/money.ts'
import { ListedUser } from '#services/modules/users/user-api.ts'

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
  payouts: z.object({
    total: count,
    pending: count,
    approved: count,
    rejected: count,
    pendingAmount: Money,
    approvedAmount: Money,
    rejectedAmount: Money,
  }),
  recentUsers: z.array(ListedUser).max(RECENT_USERS),
})
export type Stats = z.infer<typeof Stats>
