import { z } from 'zod'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, conflict, get, pathOf, post, throttled, userPath } from '#services/framework/api/route.ts'
import { email } from '#services/framework/api/email-address.ts'
import {
  fullName,
  INVALID,
  LONGEST_NOTE,
  namedRequest,
  requiredNote,
  requiredText,
} from '#services/framework/api/text.ts'
import { programmeTerms } from '#services/rules/programme.ts'
import { NO_ORDER } from '#services/trading/orders/order-vocabulary.ts'
import { TermsInWords } from '#services/programmes/programmes/terms-api.ts'

/** Enrolments of traders in programmes. */

/** The account of a stage. */
export const StageAccount = z.object({ stage: described('From 0', z.int().nonnegative()), account: z.string() })

/** An enrolment of a user: GET /api/admin/user/:id */
export const ListedEnrolment = namedObject('ListedEnrolment', {
  id: z.string(),
  programme: described("The programme's id", z.string()),
  name: z.string(),
  version: z.int().positive(),
  hash: z.string(),
  order: described('What the shop calls the order; null without one, and where 0.2.0 took it', z.string().nullable()),
  /** Null until the trader accepts the terms. */
  accepted: z.object({ hash: z.string(), at: z.iso.datetime() }).nullable(),
  accounts: z.array(StageAccount),
  at: z.iso.datetime(),
})
export type ListedEnrolment = z.infer<typeof ListedEnrolment>

const programme = described("The programme's id; its newest published version counts", requiredText(40))

/** POST /api/admin/user/:id/enrolments */
export const EnrolmentByStaff = namedRequest('EnrolmentByStaff', { programme })

/** POST /api/enrolments */
export const EnrolmentByOrder = namedRequest('EnrolmentByOrder', {
  order: described("The shop's name of the order: it enrols once, however often it is sent", requiredText(200)),
  email: described('One that mail can be sent to', requiredText(254, 'Please enter a valid email')),
  fullName: described('Name of a new user; a known user keeps the name', fullName()),
  programme,
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
  programme,
  email: described("Another address than the order's", email('Please enter a valid email').optional()),
})
export type UntakenOrderEnrolment = z.output<typeof UntakenOrderEnrolment>

/** POST /api/admin/orders/:id/dismissal */
export const UntakenOrderDismissal = namedRequest('UntakenOrderDismissal', {
  reason: described("What became of the money: 'Refunded'", requiredNote(LONGEST_NOTE, 'Please give a reason')),
})

/** An enrolment as the call that made it answers. */
export const EnrolmentAnswer = namedObject('Enrolment', {
  id: z.string(),
  userId: z.string(),
  programme: z.string(),
  version: z.int().positive(),
  hash: described('Lower-case hex SHA-256 of the canonical JSON of the terms', z.string()),
  accounts: z.array(StageAccount),
})
export type EnrolmentAnswer = z.infer<typeof EnrolmentAnswer>

export const EnrolmentOfOrder = namedObject('EnrolmentOfOrder', { ...EnrolmentAnswer.shape, order: z.string() })
export type EnrolmentOfOrder = z.infer<typeof EnrolmentOfOrder>

/** An enrolment of a trader's own, with the terms that it is under. */
export const OwnEnrolment = namedObject('OwnEnrolment', {
  ...ListedEnrolment.shape,
  terms: programmeTerms,
  words: TermsInWords,
})
export type OwnEnrolment = z.infer<typeof OwnEnrolment>

/** POST /api/user/enrolments/:id/acceptance */
export const Acceptance = namedRequest('Acceptance', {
  hash: described(
    'The hash of the terms that were shown',
    z.string({ error: INVALID }).regex(/^[0-9a-f]{64}$/, INVALID),
  ),
})

/** '<orderId>-<number>' */
const untakenOrderPath = pathOf('The id in the task', z.string().regex(/^[0-9a-f]{64}-[1-9]\d{0,5}$/), NO_ORDER)

const enrolmentPath = z.object({ id: described("The enrolment's id", z.string()) })

/** The calls about enrolments. */
export const enrolmentRoutes = {
  enrolTrader: post('/api/admin/user/:id/enrolments', 'enrol-traders', {
    summary:
      'Enrol a trader in the newest published version of a programme, which opens the account of its first stage',
    params: userPath,
    body: EnrolmentByStaff,
    answer: answer('The enrolment', EnrolmentAnswer),
    status: 201,
    refuses: conflict,
  }),
  ownEnrolments: get('/api/user/enrolments', 'trader', {
    summary: "The trader's own enrolments with their terms, the newest first",
    position: 'waits',
    answer: answer('The enrolments', z.array(OwnEnrolment)),
  }),
  acceptTerms: post('/api/user/enrolments/:id/acceptance', 'trader', {
    summary: 'Accept the terms of an enrolment',
    params: enrolmentPath,
    body: Acceptance,
    refuses: conflict,
  }),
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
