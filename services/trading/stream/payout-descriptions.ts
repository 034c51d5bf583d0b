import { toDecimal } from '#services/rules/money.ts'
import { change, type EventDescriptions, isoTime } from '#services/framework/event-description.ts'
import { fullDestination } from './destination-vocabulary.ts'
import type { Whereabouts } from './payout-destination.ts'
import { payoutItem } from './payout-fields.ts'
import { type PayoutEvent, requestedPayout } from './payout.ts'
import type { EvidenceItem } from './rejection.ts'

export const payoutDescriptions = {
  PayoutRequested: {
    title: 'Payout requested',
    category: 'payouts',
    changes: (event) => [change(`payouts.${event.data.payoutId}`, null, payoutItem(requestedPayout(event)))],
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
      change(`payouts.${id}.payment`, null, 'open'),
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
    changes: ({ data: { payoutId: id, from, code, money } }) => [
      change(`payouts.${id}.status`, from, 'rejected'),
      ...(code === undefined ? [] : [change(`payouts.${id}.code`, null, code)]),
      ...(money === undefined ? [] : [change(`payouts.${id}.money`, null, money)]),
      ...(from === 'approved' ? [change(`payouts.${id}.payment`, 'open', null)] : []),
    ],
    content: ({ evidence = [] }) => ({ rows: evidence.map(evidenceText), more: 0 }),
    reason: ({ notes }) => notes || null,
    marker: ({ amount }) => `Payout rejected: $${toDecimal(amount)}`,
    mail: true,
    notice: 'verdicts',
  },
  PayoutFirstForfeited: {
    title: 'Payout forfeited by the first of two',
    category: 'payouts',
    staffOnly: true,
    changes: ({ data }) => [change(`payouts.${data.payoutId}.approvals`, null, '1 of 2 to forfeit it')],
    content: ({ evidence = [] }) => ({ rows: evidence.map(evidenceText), more: 0 }),
    reason: ({ notes }) => notes || null,
  },
  PayoutForfeited: {
    title: 'Payout forfeited',
    category: 'payouts',
    changes: ({ data }) => [change('account.balance', toDecimal(data.from), toDecimal(data.to))],
  },
  PayoutForfeitReversed: {
    title: 'Forfeit booked back to the balance',
    category: 'payouts',
    changes: ({ data }) => [change('account.balance', toDecimal(data.from), toDecimal(data.to))],
  },
  PayoutOverdue: {
    title: 'Promise of a payout missed',
    category: 'payouts',
    changes: ({ data }) => [
      change(`payouts.${data.payoutId}.overdue`, null, data.of),
      change(`payouts.${data.payoutId}.due`, null, isoTime(data.due)),
    ],
    mail: true,
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
  PayoutDestinationChanged: {
    title: 'Another destination given',
    category: 'payouts',
    changes: ({ data: { payoutId: id, from, to } }) => [
      change(`payouts.${id}.paymentDetails`, inWords(from), inWords(to)),
    ],
    reason: ({ reason }) => reason,
    mail: true,
  },
  PayoutDestinationProposed: {
    title: 'Another destination given by the first of two',
    category: 'payouts',
    staffOnly: true,
    changes: ({ data: { payoutId: id, to } }) => [change(`payouts.${id}.proposal`, null, inWords(to))],
    reason: ({ reason }) => reason,
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
  PaymentBatched: {
    title: 'Payment entered a batch',
    category: 'payouts',
    changes: ({ data: { payoutId: id, from, reference } }) => [
      change(`payouts.${id}.payment`, from, 'in-batch'),
      change(`payouts.${id}.reference`, null, reference),
    ],
  },
  PaymentUnbatched: {
    title: 'Payment left its batch',
    category: 'payouts',
    changes: ({ data: { payoutId: id, to, reference } }) => [
      change(`payouts.${id}.payment`, 'in-batch', to),
      change(`payouts.${id}.reference`, reference, null),
    ],
  },
  PaymentSent: {
    title: 'Payment sent',
    category: 'payouts',
    changes: ({ data }) => [change(`payouts.${data.payoutId}.payment`, 'in-batch', 'sent')],
    marker: ({ amount }) => `Payment sent: $${toDecimal(amount)}`,
    mail: true,
    notice: 'payments',
  },
  PaymentPaid: {
    title: 'Payment made',
    category: 'payouts',
    changes: ({ data: { payoutId: id, from, reference } }) => [
      change(`payouts.${id}.payment`, from, 'paid'),
      ...(from === 'open' ? [change(`payouts.${id}.reference`, null, reference)] : []),
    ],
    marker: ({ amount }) => `Payment made: $${toDecimal(amount)}`,
    mail: true,
    notice: 'payments',
  },
  PaymentFailed: {
    title: 'Payment failed',
    category: 'payouts',
    changes: ({ data }) => [change(`payouts.${data.payoutId}.payment`, 'sent', 'failed')],
    reason: ({ reason }) => reason || null,
    marker: ({ amount }) => `Payment failed: $${toDecimal(amount)}`,
    mail: true,
    notice: 'payments',
  },
  PaymentReturned: {
    title: 'Payment returned',
    category: 'payouts',
    changes: ({ data }) => [change(`payouts.${data.payoutId}.payment`, 'paid', 'returned')],
    reason: ({ reason }) => reason || null,
    marker: ({ amount }) => `Payment returned: $${toDecimal(amount)}`,
    mail: true,
    notice: 'payments',
  },
  PaymentPayeeChecked: {
    title: "Payee's name checked",
    category: 'payouts',
    changes: ({ data: { payoutId: id, result } }) => [change(`payouts.${id}.payee`, null, result)],
  },
  PaymentCancelled: {
    title: 'Payment cancelled',
    category: 'payouts',
    changes: ({ data }) => [change(`payouts.${data.payoutId}.payment`, data.from, 'cancelled')],
  },
} as const satisfies EventDescriptions<PayoutEvent>

/** "Finding ada-a1-f1 (entry #17)": what shows why a payout was rejected. */
export function evidenceText(item: EvidenceItem): string {
  const what = 'finding' in item ? `Finding ${item.finding}` : `Observation ${item.observation}`
  return `${what} (entry #${item.event.number})`
}

/** An old destination is shown in full: nothing else keeps it. */
function inWords({ details, destination }: Whereabouts): string {
  return destination ? fullDestination(destination) : details
}
