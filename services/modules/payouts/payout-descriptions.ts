import { toDecimal } from '#services/money/money.ts'
import { change, type EventDescriptions, isoTime } from '#services/modules/event-description.ts'
import type { PayoutEvent } from './payout.ts'

const undecided = { traderReceives: null, firmKeeps: null, deducted: false, hold: null }

export const payoutDescriptions = {
  PayoutRequested: {
    title: 'Payout requested',
    category: 'payouts',
    changes: ({ data: { payoutId: id, amount, method, details }, at }) => {
      const request = {
        id,
        amount: toDecimal(amount),
        paymentMethod: method,
        paymentDetails: details,
        status: 'pending',
      }
      return [
        change(`payouts.${id}`, null, {
          ...request,
          adminNotes: null,
          ...undecided,
          createdAt: isoTime(at),
          decidedAt: null,
        }),
      ]
    },
    marker: ({ amount }) => `Payout requested: $${toDecimal(amount)}`,
  },
  PayoutFirstApproved: {
    title: 'Payout approved by the first of two',
    category: 'payouts',
    staffOnly: true,
    changes: ({ data }) => [change(`payouts.${data.payoutId}.approvals`, null, '1 of 2')],
    reason: ({ notes }) => notes || null,
  },
  PayoutApproved: {
    title: 'Payout approved',
    category: 'payouts',
    changes: ({ data: { payoutId: id, from, traderReceives, firmKeeps } }) => [
      change(`payouts.${id}.status`, from, 'approved'),
      change(`payouts.${id}.traderReceives`, null, toDecimal(traderReceives)),
      change(`payouts.${id}.firmKeeps`, null, toDecimal(firmKeeps)),
    ],
    reason: ({ notes }) => notes || null,
    marker: ({ amount }) => `Payout approved: $${toDecimal(amount)}`,
    mail: true,
    notice: 'verdicts',
  },
  PayoutRejected: {
    title: 'Payout rejected',
    category: 'payouts',
    changes: ({ data }) => [change(`payouts.${data.payoutId}.status`, data.from, 'rejected')],
    reason: ({ notes }) => notes || null,
    marker: ({ amount }) => `Payout rejected: $${toDecimal(amount)}`,
    mail: true,
    notice: 'verdicts',
  },
  PayoutWithdrawn: {
    title: 'Payout withdrawn',
    category: 'payouts',
    changes: ({ data }) => [change(`payouts.${data.payoutId}.status`, 'pending', 'withdrawn')],
    marker: ({ amount }) => `Payout withdrawn: $${toDecimal(amount)}`,
  },
  PayoutHoldChanged: {
    title: 'Payout put on hold or released',
    category: 'payouts',
    changes: ({ data }) => [change(`payouts.${data.payoutId}.hold`, data.from, data.to)],
  },
  PayoutDeducted: {
    title: 'Payout deducted from the balance',
    category: 'payouts',
    changes: ({ data }) => [
      change('account.balance', toDecimal(data.from), toDecimal(data.to)),
      change(`payouts.${data.payoutId}.deducted`, false, true),
    ],
  },
  PayoutBookedBack: {
    title: 'Payout booked back to the balance',
    category: 'payouts',
    changes: ({ data }) => [
      change('account.balance', toDecimal(data.from), toDecimal(data.to)),
      change(`payouts.${data.payoutId}.deducted`, true, false),
    ],
  },
} as const satisfies EventDescriptions<PayoutEvent>
