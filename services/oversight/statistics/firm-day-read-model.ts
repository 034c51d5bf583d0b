import { z } from 'zod'
import { projection } from '#services/event-sourcing/read-models/projection.ts'
import { payoutEvents } from '#services/trading/stream/payout.ts'
import { accountEvents } from '#services/trading/stream/account.ts'

const count = z.int().default(0)

const document = z.object({
  newAccounts: count,
  /** Approvals of the day, less approved payouts that were rejected on it. */
  approvedPayouts: count,
  /** Cents. */
  approvedAmount: count,
})

export type FirmDayDocument = z.infer<typeof document>

/** The figures of a day without events. */
export const emptyDay = document.parse({})

/** The day of a moment, in UTC: '2026-03-14'. */
export function utcDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** One document per day in UTC: what the dashboard of administrators draws. */
export const firmDays = projection(
  { ...accountEvents, ...payoutEvents },
  {
    name: 'firm-days',
    version: 1,
    document,
    documentId: ({ at }) => utcDay(at),
    on: {
      AccountOpened: (day) => added(day, { newAccounts: 1 }),
      PayoutApproved: (day, { data }) => added(day, { approvedPayouts: 1, approvedAmount: data.amount }),
      PayoutRejected: (day, { data }) =>
        data.from === 'approved' ? added(day, { approvedPayouts: -1, approvedAmount: -data.amount }) : added(day, {}),
    },
  },
)

function added(
  { newAccounts, approvedPayouts, approvedAmount }: FirmDayDocument = emptyDay,
  more: Partial<FirmDayDocument>,
): FirmDayDocument {
  return {
    newAccounts: newAccounts + (more.newAccounts ?? 0),
    approvedPayouts: approvedPayouts + (more.approvedPayouts ?? 0),
    approvedAmount: approvedAmount + (more.approvedAmount ?? 0),
  }
}
