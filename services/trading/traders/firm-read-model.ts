import { z } from 'zod'
import { type PayoutStatus, payoutEvents } from '#services/trading/stream/payout.ts'
import { projection } from '#services/event-sourcing/read-models/projection.ts'
import { userEvents } from '#services/identity/users/user.ts'
import { accountEvents } from '#services/trading/stream/account.ts'

/** The id of the one document. */
export const FIRM = 'firm'

const count = z.int().default(0)

const document = z.object({
  users: z.object({ total: count, banned: count }),
  /** Open ones. */
  accounts: count,
  /** Amounts in cents. */
  payouts: z.object({
    total: count,
    pending: count,
    approved: count,
    rejected: count,
    withdrawn: count,
    pendingAmount: count,
    approvedAmount: count,
    rejectedAmount: count,
    withdrawnAmount: count,
    /** Approved and not paid: what traders receive of them. */
    unpaid: count,
    unpaidAmount: count,
  }),
})

export type FirmDocument = z.infer<typeof document>

/** The statistics before the first event. */
export const emptyFirm = document.parse({ users: {}, payouts: {} })

/** The counts and sums of the admin dashboard, updated by each event instead of computed by scanning. */
export const firm = projection(
  { ...userEvents, ...accountEvents, ...payoutEvents },
  {
    name: 'firm',
    version: 4,
    document,
    documentId: () => FIRM,
    on: {
      UserRegistered: (firm) => users(firm, 'total', 1),
      UserCreated: (firm) => users(firm, 'total', 1),
      AccountOpened: (firm) => accounts(firm, 1),
      AccountClosed: (firm, { data }) => accounts(firm, data.wasOpen ? -1 : 0),
      // A new reason for a banned user is no other ban.
      UserBanned: (firm, { data }) => users(firm, 'banned', data.from === null ? 1 : 0),
      UserUnbanned: (firm) => users(firm, 'banned', -1),
      UserDeleted: (firm, { data }) => users(users(firm, 'total', -1), 'banned', data.banned ? -1 : 0),

      PayoutRequested: (firm, { data }) => payoutOf(payouts(firm, 'total', 1), 'pending', 1, data.amount),
      PayoutApproved: (firm, { data }) =>
        owed(verdict(firm, data.from, 'approved', data.amount), 1, data.traderReceives),
      PayoutRejected: (firm, { data: { from, amount, traderReceives } }) => {
        const rejected = verdict(firm, from, 'rejected', amount)
        return traderReceives === undefined ? rejected : owed(rejected, -1, -traderReceives)
      },
      PayoutWithdrawn: (firm, { data }) => verdict(firm, 'pending', 'withdrawn', data.amount),
      PaymentPaid: (firm, { data }) => owed(firm, -1, -data.amount),
      PaymentReturned: (firm, { data }) => owed(firm, 1, data.amount),
      PaymentCancelled: (firm, { data }) => owed(firm, -1, -data.amount),
    },
  },
)

function verdict(firm: FirmDocument | undefined, from: PayoutStatus, to: PayoutStatus, amount: number): FirmDocument {
  return payoutOf(payoutOf(firm, from, -1, -amount), to, 1, amount)
}

function payoutOf(firm: FirmDocument | undefined, status: PayoutStatus, count: number, amount: number): FirmDocument {
  return payouts(payouts(firm, status, count), `${status}Amount`, amount)
}

function owed(firm: FirmDocument | undefined, count: number, amount: number): FirmDocument {
  return payouts(payouts(firm, 'unpaid', count), 'unpaidAmount', amount)
}

function users(firm: FirmDocument = emptyFirm, counter: keyof FirmDocument['users'], by: number): FirmDocument {
  return { ...firm, users: { ...firm.users, [counter]: firm.users[counter] + by } }
}

function accounts(firm: FirmDocument = emptyFirm, by: number): FirmDocument {
  return { ...firm, accounts: firm.accounts + by }
}

function payouts(firm: FirmDocument = emptyFirm, counter: keyof FirmDocument['payouts'], by: number): FirmDocument {
  return { ...firm, payouts: { ...firm.payouts, [counter]: firm.payouts[counter] + by } }
}
