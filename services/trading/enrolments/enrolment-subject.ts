import { subject } from '#services/framework/subject.ts'
import { enrolmentRoutes } from './enrolment-api.ts'
import { orderRoutes } from './order-api.ts'
import { ownEnrolmentRoutes } from './own-enrolment-api.ts'
import {
  enrolmentDescriptions,
  enrolmentShown,
  orderDescriptions,
  untakenOrderDescriptions,
} from './enrolment-descriptions.ts'
import { enrolmentEvents } from '#services/identity/users/enrolment.ts'
import { orderEvents, orderStreams } from '#services/trading/orders/order.ts'
import { untakenOrderEvents, untakenOrders } from '#services/trading/orders/untaken-order.ts'

/** Enrolments: the half that runs anywhere. Their events lie in the stream of the user; orders have streams of their own. */
export const enrolmentSubject = subject({
  title: 'Enrolments',
  about: 'Who trades under which programme',
  events: { ...enrolmentEvents, ...orderEvents, ...untakenOrderEvents },
  aggregates: [orderStreams, untakenOrders],
  descriptions: { ...enrolmentDescriptions, ...orderDescriptions, ...untakenOrderDescriptions },
  shown: enrolmentShown,
  categories: { enrolments: { label: 'Enrolments', group: 'trading', staffOnly: false, isDecision: true } },
  routes: { ...enrolmentRoutes, ...orderRoutes, ...ownEnrolmentRoutes },
})
