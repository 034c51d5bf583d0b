import { z } from 'zod'
import { described, namedObject } from '#services/api/openapi-component.ts'
import { answer, conflict, post, userPath } from '#services/api/route.ts'
import { namedRequest, requiredText } from '#services/api/text.ts'
import { StageAccount } from './listed-enrolment.ts'

/** Enrolments of traders in programmes. */

const programme = described("The programme's id; its newest published version counts", requiredText(40))

/** POST /api/admin/user/:id/enrolments */
export const EnrolmentByStaff = namedRequest('EnrolmentByStaff', { programme })

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
}
