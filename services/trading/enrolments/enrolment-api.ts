import { z } from 'zod'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, conflict, post, userPath } from '#services/framework/api/route.ts'
import { namedRequest, requiredText } from '#services/framework/api/text.ts'

/** Enrolments of traders in programmes, as staff see and make them. */

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

export const programmeToEnrolIn = described("The programme's id; its newest published version counts", requiredText(40))

/** POST /api/admin/user/:id/enrolments */
export const EnrolmentByStaff = namedRequest('EnrolmentByStaff', { programme: programmeToEnrolIn })

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

/** The calls of staff about enrolments. */
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
}
