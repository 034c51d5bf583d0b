import { z } from 'zod'
import { type AppendedEvent, defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import {
  type AccountId,
  accountId,
  type EnrolmentId,
  enrolmentId,
  type OrderId,
  orderId,
  programmeId,
} from '#services/modules/ids.ts'

/**
 * A trader's enrolments in programmes. They lie in the stream of the user: which account an enrolment opens, and its
 * number, is decided at one revision (docs/decisions/051-enrolments.md).
 */

/** The version of a programme, by the hash of its terms. Its name is what people read. */
export const enrolledVersion = { programme: programmeId, name: z.string(), version: z.int(), hash: z.string() }

/** The hash of the terms that the trader accepted, and when, ms since 1970. */
export const acceptedTerms = z.object({ hash: z.string(), at: z.int() })

export const enrolmentEvents = defineEvents({
  TraderEnrolled: {
    enrolmentId,
    ...enrolledVersion,
    /** Null until the trader accepts the terms in the portal. */
    accepted: acceptedTerms.nullable(),
    /** The account of the first stage. */
    account: accountId,
    /** The order that a program enrolled the trader for; null for an enrolment by staff. */
    order: orderId.nullable(),
  },
})
export type EnrolmentEvent = EventOf<typeof enrolmentEvents>
export type TraderEnrolled = Extract<EnrolmentEvent, { type: 'TraderEnrolled' }>['data']

/** What a trader enrols in. */
export type EnrolledVersion = z.infer<z.ZodObject<typeof enrolledVersion>>
export type AcceptedTerms = z.infer<typeof acceptedTerms>

/** What enrols a trader: a version, what was accepted before, and the order of a program. */
export interface EnrolmentTerms extends EnrolledVersion {
  readonly accepted: AcceptedTerms | null
  readonly order: OrderId | null
}

export interface Enrolment extends EnrolmentTerms {
  readonly id: EnrolmentId
  /** The account of each stage that was begun. */
  readonly accounts: readonly AccountId[]
}

/** The enrolments after an event, in the order of their numbers. */
export function enrolmentsAfter(
  enrolments: readonly Enrolment[],
  { data: { enrolmentId: id, account, ...enrolled } }: AppendedEvent<EnrolmentEvent>,
): readonly Enrolment[] {
  return [...enrolments, { ...enrolled, id, accounts: [account] }]
}
