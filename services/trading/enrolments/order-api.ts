import { z } from 'zod'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, conflict, pathOf, post, throttled } from '#services/framework/api/route.ts'
import { email } from '#services/framework/api/email-address.ts'
import {
  fullName,
  INVALID,
  LONGEST_NOTE,
  namedRequest,
  requiredNote,
  requiredText,
} from '#services/framework/api/text.ts'
import { NO_ORDER } from '#services/trading/orders/order-vocabulary.ts'
import { EnrolmentAnswer, programmeToEnrolIn } from './enrolment-api.ts'

/** Orders of a shop: those that enrol, and those that could not be taken. */

/** POST /api/enrolments */
export const EnrolmentByOrder = namedRequest('EnrolmentByOrder', {
  order: described("The shop's name of the order: it enrols once, however often it is sent", requiredText(200)),
  email: described('One that mail can be sent to', requiredText(254, 'Please enter a valid email')),
  fullName: described('Name of a new user; a known user keeps the name', fullName()),
  programme: programmeToEnrolIn,
  accepted: described(
    'The hash of the terms that the trader accepted in the shop, and when; without it they accept at the next sign-in',
    z
      .object(
        {
          hash: z.string({ error: INVALID }).regex(/^[0-9a-f]{64}$/, INVALID),
          at: z.iso.datetime({ offset: true, error: INVALID }).transform((time) => Date.parse(time)),
        },
        { error: INVALID },
      )
      .optional(),
  ),
})
export type EnrolmentByOrder = z.output<typeof EnrolmentByOrder>

/** POST /api/admin/orders/:id/enrolment */
export const UntakenOrderEnrolment = namedRequest('UntakenOrderEnrolment', {
  programme: programmeToEnrolIn,
  email: described("Another address than the order's", email('Please enter a valid email').optional()),
})
export type UntakenOrderEnrolment = z.output<typeof UntakenOrderEnrolment>

/** POST /api/admin/orders/:id/dismissal */
export const UntakenOrderDismissal = namedRequest('UntakenOrderDismissal', {
  reason: described("What became of the money: 'Refunded'", requiredNote(LONGEST_NOTE, 'Please give a reason')),
})

export const EnrolmentOfOrder = namedObject('EnrolmentOfOrder', { ...EnrolmentAnswer.shape, order: z.string() })
export type EnrolmentOfOrder = z.infer<typeof EnrolmentOfOrder>

/** '<orderId>-<number>' */
const untakenOrderPath = pathOf('The id in the task', z.string().regex(/^[0-9a-f]{64}-[1-9]\d{0,5}$/), NO_ORDER)

/** The calls about orders. */
export const orderRoutes = {
  enrolUntakenOrder: post('/api/admin/orders/:id/enrolment', 'enrol-traders', {
    summary: 'Enrol the buyer of an order that was not taken, who becomes a user where the email is unknown',
    params: untakenOrderPath,
    body: UntakenOrderEnrolment,
    refuses: conflict,
  }),
  dismissUntakenOrder: post('/api/admin/orders/:id/dismissal', 'enrol-traders', {
    summary: 'Say why the buyer of an order that was not taken is not enrolled; what is known of the buyer is erased',
    params: untakenOrderPath,
    body: UntakenOrderDismissal,
    refuses: conflict,
  }),
  enrolByOrder: post('/api/enrolments', 'program:enrolments', {
    summary:
      'Enrol the buyer of an order, who becomes a user where the email is unknown; the same order again answers 200',
    body: EnrolmentByOrder,
    answer: answer('The enrolment', EnrolmentOfOrder),
    status: 201,
    refuses: {
      200: answer('The same order was received before: its enrolment', EnrolmentOfOrder),
      ...conflict,
      ...throttled,
    },
  }),
}
