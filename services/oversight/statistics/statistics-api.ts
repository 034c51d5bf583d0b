import { ListedUser } from '#services/trading/traders/trader-api.ts'
import { Money } from '#services/framework/api/money.ts'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, get } from '#services/framework/api/route.ts'
import { z } from 'zod'

/** The figures of the administrators' dashboard and count cards (specification §2). */

/** The number of newest users on the dashboard. */
export const RECENT_USERS = 5

const count = z.int().nonnegative()

/** The days that GET /api/admin/stats/weeks covers, up to today. */
export const SHOWN_DAYS = 84

const broughtInTime = {
  newAccounts: count,
  /** Approvals, less approved payouts that were rejected in that time. */
  approvedPayouts: z.int(),
  approvedAmount: Money,
}

const FirmWeek = namedObject('FirmWeek', {
  from: described('Its first day', z.iso.date()),
  to: described('Its last day', z.iso.date()),
  ...broughtInTime,
})
export type FirmWeek = z.infer<typeof FirmWeek>

/** The figures of the last 84 days, week by week and in all. */
export const FirmWeeks = namedObject('FirmWeeks', {
  weeks: described('The oldest first; the last one ends today, in UTC', z.array(FirmWeek)),
  total: z.object(broughtInTime),
})
export type FirmWeeks = z.infer<typeof FirmWeeks>

const share = described('In percent of all users, to one decimal', z.number())

/** GET /api/admin/stats */
export const Stats = namedObject('Stats', {
  users: z.object({ total: count, active: count, pending: count, underReview: count, breached: count, banned: count }),
  shares: z.object({ active: share, pending: share, underReview: share, breached: share }),
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
    totalAmount: described('Total of the requests in every state', Money),
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
  statsWeeks: get('/api/admin/stats/weeks', 'read', {
    summary: 'New accounts and approved payouts of the last 84 days in UTC, week by week and in all',
    position: 'waits',
    answer: answer('The weeks', FirmWeeks),
  }),
}
