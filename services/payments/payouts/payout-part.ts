import { listPart } from '#services/framework/shown-state.ts'
import { payoutItem, shownFields } from '#services/trading/stream/payout-fields.ts'
import { AuditPayout } from './payout-api.ts'
import type { Payouts } from '#services/trading/stream/payout.ts'
import {
  payeeCheckLabels,
  payeeCheckTones,
  paymentStateLabels,
  paymentStateTones,
  promiseKindLabels,
} from '#services/trading/stream/payout-vocabulary.ts'

const { adminNotes, ...fields } = shownFields

/** The payouts of an account at a moment, as people read them. */
export const payoutPart = listPart({
  title: 'Payouts',
  item: 'Payout',
  empty: 'No payouts yet.',
  schema: AuditPayout.array(),
  fields: {
    ...fields,
    hold: { label: 'On Hold', kind: 'text', unset: 'no', place: 'line', lead: 'On hold:', hiddenInObject: true },
    payment: {
      label: 'Payment',
      kind: 'status',
      words: paymentStateLabels,
      tones: paymentStateTones,
      unset: 'none',
      place: 'line',
      lead: 'Payment:',
      hiddenInObject: true,
    },
    reference: {
      label: 'Payment Reference',
      kind: 'text',
      unset: 'none',
      place: 'line',
      lead: 'Reference',
      hiddenInObject: true,
    },
    payee: {
      label: "Payee's Name",
      kind: 'status',
      words: payeeCheckLabels,
      tones: payeeCheckTones,
      unset: 'none',
      place: 'line',
      lead: "Payee's name:",
      hiddenInObject: true,
    },
    adminNotes,
  },
  onlyInChanges: {
    approvals: { label: 'Approvals', kind: 'text' },
    overdue: { label: 'Overdue', kind: 'choice', words: promiseKindLabels, ofAction: true },
    due: { label: 'Was Promised By', kind: 'time', ofAction: true },
    proposal: { label: 'Destination Given By One', kind: 'text' },
  },
  show: ({ list }: Payouts) => [...list.values()].map(payoutItem),
})
