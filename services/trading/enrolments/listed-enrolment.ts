import { z } from 'zod'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { isoTime } from '#services/framework/event-description.ts'

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
export type ListedEnrolment = z.infer<typeof ListedEnrolment>

interface EnrolmentToList {
  readonly id: string
  readonly programme: string
  readonly name: string
  readonly version: number
  readonly hash: string
  /** Times in ms since 1970. */
  readonly accepted: { readonly hash: string; readonly at: number } | null
  readonly accounts: readonly string[]
  readonly at: number
}

/** An enrolment in an answer. */
export function listedEnrolment({ at, accepted, accounts, ...enrolment }: EnrolmentToList): ListedEnrolment {
  const { id, programme, name, version, hash } = enrolment
  return {
    ...{ id, programme, name, version, hash },
    accepted: accepted && { hash: accepted.hash, at: isoTime(accepted.at) },
    accounts: accounts.map((account, stage) => ({ stage, account })),
    at: isoTime(at),
  }
}
