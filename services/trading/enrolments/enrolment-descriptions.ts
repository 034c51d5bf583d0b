import { programmeText } from '#services/trading/stream/programme-stage.ts'
import { change, type EventDescriptions } from '#services/framework/event-description.ts'
import type { Subject } from '#services/framework/subject.ts'
import type { EnrolmentEvent } from '#services/identity/users/enrolment.ts'
import { settlementLabels, untakenReasonLabels } from '#services/trading/orders/order-vocabulary.ts'
import type { OrderEvent } from '#services/trading/orders/order.ts'
import type { UntakenOrderEvent } from '#services/trading/orders/untaken-order.ts'

export const enrolmentDescriptions = {
  TraderEnrolled: {
    title: 'Enrolled in a programme',
    traderTitle: 'You are enrolled in a programme',
    category: 'enrolments',
    mail: true,
    changes: ({ data: { name, version, hash, account, accepted } }) => [
      change('enrolment.programme', null, programmeText(name, version)),
      change('enrolment.hash', null, hash),
      change('enrolment.accepted', null, accepted && new Date(accepted.at).toISOString()),
      change('enrolment.account', null, account),
    ],
  },
  OrderNumberRecorded: {
    title: "The shop's number of an order recorded",
    category: 'enrolments',
    staffOnly: true,
    changes: ({ data: { orderNumber } }) => [change('order.number', null, orderNumber)],
  },
  TermsAccepted: {
    title: 'Terms of a programme accepted',
    traderTitle: 'You accepted the terms of your programme',
    category: 'enrolments',
    changes: ({ data: { hash } }) => [change('enrolment.hash', null, hash)],
  },
  NextStageAssigned: {
    title: 'Account of the next stage assigned',
    category: 'enrolments',
    changes: ({ data: { account } }) => [change('enrolment.account', null, account)],
  },
} as const satisfies EventDescriptions<EnrolmentEvent>

export const orderDescriptions = {
  OrderReceived: {
    title: 'Order of an enrolment received',
    category: 'enrolments',
    changes: ({ data: { name, version, hash } }) => [
      change('enrolment.programme', null, programmeText(name, version)),
      change('enrolment.hash', null, hash),
    ],
  },
  OrderAssigned: {
    title: 'Order assigned to a trader',
    category: 'enrolments',
    changes: ({ data: { trader } }) => [change('enrolment.trader', null, trader)],
  },
} as const satisfies EventDescriptions<OrderEvent>

export const untakenOrderDescriptions = {
  OrderNotTaken: {
    title: 'Order not taken: paid, not enrolled',
    category: 'enrolments',
    changes: ({ data }) => [
      change('order.number', null, data.orderNumber),
      change('order.email', null, data.email),
      change('order.fullName', null, data.fullName),
      change('order.programme', null, data.programme),
    ],
    reason: ({ reason }) => untakenReasonLabels[reason],
  },
  OrderSettled: {
    title: 'Order that was not taken is settled',
    category: 'enrolments',
    changes: ({ data: { how, trader } }) => [
      change('order.settled', null, settlementLabels[how]),
      change('enrolment.trader', null, trader),
    ],
    reason: ({ reason }) => reason,
  },
} as const satisfies EventDescriptions<UntakenOrderEvent>

/** The fields that these events name. */
export const enrolmentShown = {
  enrolment: {
    fields: {
      programme: { label: 'Programme', kind: 'text', ofAction: true },
      hash: { label: 'SHA-256 of the terms', kind: 'text', ofAction: true },
      accepted: { label: 'Terms accepted', kind: 'time', ofAction: true },
      account: { label: 'Account', kind: 'text', ofAction: true },
      trader: { label: 'Trader', kind: 'text', ofAction: true },
    },
  },
  order: {
    fields: {
      number: { label: 'Order', kind: 'text', ofAction: true },
      email: { label: 'Email', kind: 'text', ofAction: true },
      fullName: { label: 'Name', kind: 'text', ofAction: true },
      programme: { label: 'Programme', kind: 'text', ofAction: true },
      settled: { label: 'Settled', kind: 'text', ofAction: true },
    },
  },
} as const satisfies Subject['shown']
