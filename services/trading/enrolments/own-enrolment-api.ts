import { z } from 'zod'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { answer, conflict, get, post } from '#services/framework/api/route.ts'
import { INVALID, namedRequest } from '#services/framework/api/text.ts'
import { answeredTerms } from '#services/programmes/programmes/late-terms-api.ts'
import { TermsInWords } from '#services/programmes/programmes/terms-in-words-api.ts'
import { ListedEnrolment } from './enrolment-api.ts'

/** Enrolments as their trader sees them, with the terms. Pages of staff do without the schemas of all rules. */

/** An enrolment of a trader's own, with the terms that it is under. */
export const OwnEnrolment = namedObject('OwnEnrolment', {
  ...ListedEnrolment.shape,
  terms: answeredTerms.schema,
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

const enrolmentPath = z.object({ id: described("The enrolment's id", z.string()) })

/** The calls of a trader about enrolments. */
export const ownEnrolmentRoutes = {
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
}
