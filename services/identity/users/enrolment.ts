import { stageIndex } from '#services/rules/programme.ts'
import { z } from 'zod'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type AppendedEvent, defineEvents, type EventOf, personal } from '#services/event-sourcing/event-definitions.ts'
import {
  type AccountId,
  accountId,
  type EnrolmentId,
  enrolmentId,
  type OrderId,
  orderId,
  programmeId,
} from '#services/framework/ids.ts'

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
  /** What the shop calls the order of an enrolment: support finds it by this. */
  OrderNumberRecorded: { enrolmentId, orderNumber: personal(z.string()) },
  /** The trader accepted the terms in the portal. The hash is that of the enrolment. */
  TermsAccepted: { enrolmentId, hash: z.string() },
  /** A stage is passed: the account of the next one. */
  NextStageAssigned: { enrolmentId, stage: stageIndex, account: accountId },
})
export type EnrolmentEvent = EventOf<typeof enrolmentEvents>
export type TraderEnrolled = Extract<EnrolmentEvent, { type: 'TraderEnrolled' }>['data']

/** A trader enrols in a version of a programme. */
export type EnrolledVersion = z.infer<z.ZodObject<typeof enrolledVersion>>
export type AcceptedTerms = z.infer<typeof acceptedTerms>

/** An enrolment consists of a version, the terms accepted before, and the order of a program. */
export interface EnrolmentTerms extends EnrolledVersion {
  readonly accepted: AcceptedTerms | null
  readonly order: OrderId | null
}

export interface Enrolment extends EnrolmentTerms {
  readonly id: EnrolmentId
  /** The account of each stage that was begun. */
  readonly accounts: readonly AccountId[]
  /** Whether the shop's number of its order is recorded. */
  readonly isNumbered?: true
}

/** The enrolments after an event, in the order of their numbers. */
export function enrolmentsAfter(
  enrolments: readonly Enrolment[],
  { type, data, at }: AppendedEvent<EnrolmentEvent>,
): readonly Enrolment[] {
  const changed = (change: (enrolment: Enrolment) => Partial<Enrolment>) =>
    enrolments.map((each) => (each.id === data.enrolmentId ? { ...each, ...change(each) } : each))
  switch (type) {
    case 'TraderEnrolled': {
      const { enrolmentId: id, account, ...enrolled } = data
      return [...enrolments, { ...enrolled, id, accounts: [account] }]
    }
    case 'OrderNumberRecorded':
      return changed(() => ({ isNumbered: true }))
    case 'TermsAccepted':
      return changed(() => ({ accepted: { hash: data.hash, at } }))
    case 'NextStageAssigned':
      return changed(({ accounts }) => ({ accounts: [...accounts, data.account] }))
  }
}

/** @throws {Refused} not-found, for an enrolment that is not among these */
export function existingEnrolment(enrolments: readonly Enrolment[], id: string): Enrolment {
  const enrolment = enrolments.find((each) => each.id === id)
  if (!enrolment) throw new Refused('not-found', 'Enrolment not found')
  return enrolment
}

/** Records what the shop calls the order of an enrolment, once. */
export function recordOrderNumber(
  enrolments: readonly Enrolment[],
  id: EnrolmentId,
  orderNumber: string,
): EnrolmentEvent[] {
  const { isNumbered } = existingEnrolment(enrolments, id)
  return isNumbered ? [] : [{ type: 'OrderNumberRecorded', data: { enrolmentId: id, orderNumber } }]
}

/**
 * The trader accepts the terms of an enrolment, once: those that they were shown.
 *
 * @throws {Refused} not-found; conflict, for other terms
 */
export function acceptTerms(enrolments: readonly Enrolment[], id: string, hash: string): EnrolmentEvent[] {
  const enrolment = existingEnrolment(enrolments, id)
  if (enrolment.hash !== hash)
    throw new Refused('conflict', 'These are not the terms of your enrolment. Please read them again.', 'hash')
  return enrolment.accepted ? [] : [{ type: 'TermsAccepted', data: { enrolmentId: enrolment.id, hash } }]
}
