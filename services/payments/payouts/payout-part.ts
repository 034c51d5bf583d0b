import { component } from '#services/framework/api/openapi-component.ts'
import { z } from 'zod'
import { listPart } from '#services/framework/shown-state.ts'
import { Payment, Payout } from './payout-api.ts'
import type { Payouts } from '#services/trading/stream/payout.ts'
import { payoutFields } from './payout-response.ts'
import {
  paymentStateLabels,
  paymentStateTones,
  payoutMethodLabels,
  payoutStatusLabels,
  payoutStatusTones,
} from '#services/trading/stream/payout-vocabulary.ts'

/** The payouts of an account at a moment, as people read them. */
export const payoutPart = listPart({
  title: 'Payouts',
  item: 'Payout',
  empty: 'No payouts yet.',
  schema: component(
    'AuditPayout',
    Payout.omit({ userId: true, accountId: true, destination: true }).extend({
      hold: z.string().nullable(),
      payment: Payment.shape.state.nullable(),
      reference: z.string().nullable(),
    }),
  ).array(),
  fields: {
    amount: { label: 'Amount', kind: 'money', place: 'value' },
    paymentMethod: { label: 'Payment Method', kind: 'choice', words: payoutMethodLabels, place: 'value', lead: 'by' },
    paymentDetails: { label: 'Payment Details', kind: 'text', place: 'line' },
    status: { label: 'Status', kind: 'status', words: payoutStatusLabels, tones: payoutStatusTones, place: 'status' },
    createdAt: { label: 'Created', kind: 'time', place: 'line', lead: 'Requested', hiddenInObject: true },
    decidedAt: { label: 'Decided', kind: 'time', place: 'line', lead: 'Decided', hiddenInObject: true },
    traderReceives: { label: 'Trader Receives', kind: 'money', place: 'line', lead: 'Trader receives' },
    firmKeeps: { label: 'Firm Keeps', kind: 'money', place: 'line', lead: 'Firm keeps' },
    deducted: {
      label: 'Deducted from the balance',
      kind: 'choice',
      words: { true: 'Yes', false: 'No' },
      place: null,
      hiddenInObject: true,
    },
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
    adminNotes: { label: 'Notes', kind: 'text', place: 'line', lead: 'Notes:', hiddenInObject: true },
  },
  onlyInChanges: { approvals: { label: 'Approvals', kind: 'text' } },
  show: ({ list }: Payouts) =>
    [...list.values()].map((payout) => ({
      ...payoutFields(payout),
      hold: payout.hold?.reason ?? null,
      payment: payout.payment?.state ?? null,
      reference: payout.payment?.reference ?? null,
    })),
})
