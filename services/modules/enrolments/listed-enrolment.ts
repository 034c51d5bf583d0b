import { z } from 'zod'
import { described, namedObject } from '#services/api/openapi-component.ts'

/** An enrolment in answers. A file of its own, since users are answered with their enrolments. */

/** The account of a stage. */
export const StageAccount = z.object({ stage: described('From 0', z.int().nonnegative()), account: z.string() })

/** An enrolment of a user: GET /api/admin/user/:id */
export const ListedEnrolment = namedObject('ListedEnrolment', {
  id: z.string(),
  programme: described("The programme's id", z.string()),
  name: z.string(),
  version: z.int().positive(),
  hash: z.string(),
  /** Null until the trader accepts the terms. */
  accepted: z.object({ hash: z.string(), at: z.iso.datetime() }).nullable(),
  accounts: z.array(StageAccount),
  at: z.iso.datetime(),
})
