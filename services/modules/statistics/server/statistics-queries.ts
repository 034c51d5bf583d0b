import type { QueryDependencies } from '#services/modules/dependencies.ts'
import type { AccountStatus } from '#services/modules/accounts/account.ts'
import type { Queries } from '#services/modules/module.ts'
import { listedUserResponse } from '#services/modules/users/server/user-responses.ts'
import { users } from '#services/modules/users/user-read-model.ts'
import { payouts } from '#services/modules/payouts/payout-read-model.ts'
import { oldestUnpaidOf } from '#services/modules/payouts/server/oldest-unpaid.ts'
import { isoTime } from '#services/modules/event-description.ts'
import { toDecimal } from '#services/money/money.ts'
import { emptyDay, firmDays, utcDay } from '../firm-day-read-model.ts'
import { type FirmDocument, firm } from '../firm-read-model.ts'
import { firmFigures } from './firm-figures.ts'
import { RECENT_USERS, SHOWN_DAYS, type statisticsRoutes } from '../statistics-api.ts'

const DAY_MS = 86_400_000
/** More than any firm has. */
const EVERYONE = 100_000_000

/** Counts and sums of the whole firm. */
export function statisticsQueries({ readModels, now }: QueryDependencies): Queries<typeof statisticsRoutes> {
  /** A trader counts by the current account. Which one that is depends on all accounts, so no event can tell. */
  const countByStatus = async () => {
    const countOf = (status: AccountStatus) =>
      readModels.count(users, { where: { 'account.status': status } }, EVERYONE)
    const [active, pending, underReview, breached] = await Promise.all([
      countOf('active'),
      countOf('pending'),
      countOf('under-review'),
      countOf('breached'),
    ])
    return { active, pending, underReview, breached }
  }

  return {
    stats: {
      needs: [firm, users, payouts],
      handle: async () => {
        const figures = await firmFigures(readModels)
        const { documents } = await readModels.find(users, { limit: RECENT_USERS })
        return {
          body: {
            users: { ...figures.users, ...(await countByStatus()) },
            accounts: figures.accounts,
            payouts: payoutTotalsResponse(figures.payouts, await oldestUnpaidOf(readModels)),
            recentUsers: documents.map(listedUserResponse),
          },
        }
      },
    },

    statsDays: {
      needs: [firmDays],
      handle: async () => {
        const today = now()
        const days = Array.from({ length: SHOWN_DAYS }, (_, ago) => utcDay(today - ago * DAY_MS)).reverse()
        const known = await readModels.getMany(firmDays, days)
        return {
          body: days.map((day) => {
            const { newAccounts, approvedPayouts, approvedAmount } = known.get(day) ?? emptyDay
            return { day, newAccounts, approvedPayouts, approvedAmount: toDecimal(approvedAmount) }
          }),
        }
      },
    },
  }
}

function payoutTotalsResponse(totals: FirmDocument['payouts'], oldestUnpaid: number | null) {
  const { pendingAmount, approvedAmount, rejectedAmount, withdrawnAmount, unpaidAmount } = totals
  return {
    ...totals,
    totalAmount: toDecimal(pendingAmount + approvedAmount + rejectedAmount + withdrawnAmount),
    pendingAmount: toDecimal(pendingAmount),
    approvedAmount: toDecimal(approvedAmount),
    rejectedAmount: toDecimal(rejectedAmount),
    withdrawnAmount: toDecimal(withdrawnAmount),
    unpaidAmount: toDecimal(unpaidAmount),
    oldestUnpaidAt: oldestUnpaid === null ? null : isoTime(oldestUnpaid),
  }
}
