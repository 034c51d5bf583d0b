import type { OversightParts } from '#services/oversight/parts.ts'
import type { Module, Queries } from '#services/framework/module.ts'
import { statisticsSubject } from '../statistics-subject.ts'
import { emptyDay, type FirmDayDocument, firmDays, utcDay } from '../firm-day-read-model.ts'
import type { AccountStatus } from '#services/trading/stream/account.ts'
import { listedUserResponse } from '#services/trading/traders/server/user-responses.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { payouts } from '#services/trading/accounts/payout-read-model.ts'
import { oldestUnpaidOf } from '#services/payments/payouts/server/payout-queries.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { toDecimal } from '#services/rules/money.ts'
import { sumOfDays, weeksOf } from '../weeks.ts'
import { firm, type FirmDocument } from '#services/trading/traders/firm-read-model.ts'
import { firmFigures } from '#services/trading/traders/server/firm-figures.ts'
import { RECENT_USERS, SHOWN_DAYS, type statisticsRoutes } from '../statistics-api.ts'

export const statisticsModule: Module<typeof statisticsSubject, OversightParts> = {
  subject: statisticsSubject,
  queries: statisticsQueries,
  readModels: [firmDays],
  erase: null,
}

const DAY_MS = 86_400_000
/** More than any firm has. */
const EVERYONE = 100_000_000

/** Counts and sums of the whole firm. */
function statisticsQueries({ readModels, now }: OversightParts['queries']): Queries<typeof statisticsRoutes> {
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

  /** Reads the figures of each of the last days, the oldest first. */
  const lastDays = async () => {
    const today = now()
    const days = Array.from({ length: SHOWN_DAYS }, (_, ago) => utcDay(today - ago * DAY_MS)).reverse()
    const known = await readModels.getMany(firmDays, days)
    return days.map((day) => ({ day, ...(known.get(day) ?? emptyDay) }))
  }

  return {
    stats: {
      needs: [firm, users, payouts],
      handle: async () => {
        const figures = await firmFigures(readModels)
        const counts = await countByStatus()
        const { documents } = await readModels.find(users, { limit: RECENT_USERS })
        return {
          body: {
            users: { ...figures.users, ...counts },
            shares: {
              active: percentOfAll(counts.active, figures.users.total),
              pending: percentOfAll(counts.pending, figures.users.total),
              underReview: percentOfAll(counts.underReview, figures.users.total),
              breached: percentOfAll(counts.breached, figures.users.total),
            },
            accounts: figures.accounts,
            payouts: payoutTotalsResponse(figures.payouts, await oldestUnpaidOf(readModels)),
            recentUsers: documents.map(listedUserResponse),
          },
        }
      },
    },

    statsWeeks: {
      needs: [firmDays],
      handle: async () => {
        const days = await lastDays()
        const weeks = weeksOf(days).map(({ from, to, ...brought }) => ({ from, to, ...response(brought) }))
        return { body: { weeks, total: response(sumOfDays(days)) } }
      },
    },
  }
}

function response({ newAccounts, approvedPayouts, approvedAmount }: FirmDayDocument) {
  return { newAccounts, approvedPayouts, approvedAmount: toDecimal(approvedAmount) }
}

/** To one decimal; 0 of nobody. */
function percentOfAll(some: number, all: number): number {
  return all === 0 ? 0 : Math.round((some / all) * 1_000) / 10
}

function payoutTotalsResponse(totals: FirmDocument['payouts'], oldestUnpaid: number | null) {
  const { pendingAmount, approvedAmount, rejectedAmount, withdrawnAmount, unpaidAmount } = totals
  return {
    ...totals,
    pendingAmount: toDecimal(pendingAmount),
    approvedAmount: toDecimal(approvedAmount),
    rejectedAmount: toDecimal(rejectedAmount),
    withdrawnAmount: toDecimal(withdrawnAmount),
    totalAmount: toDecimal(pendingAmount + approvedAmount + rejectedAmount + withdrawnAmount),
    unpaidAmount: toDecimal(unpaidAmount),
    oldestUnpaidAt: oldestUnpaid === null ? null : isoTime(oldestUnpaid),
  }
}
