import { z } from 'zod'
import { fieldChange } from '#services/framework/api/stamp-schemas.ts'
import { type EventDescription, type EventDescriptions, type TypeWith } from '#services/framework/event-description.ts'
import { breachEvidence } from '#services/trading/stream/decision-reason.ts'
import { actor } from '#services/framework/api/actor.ts'
import type { EventOf } from '#services/event-sourcing/event-definitions.ts'
import { userDescriptions } from '#services/identity/users/user-descriptions.ts'
import { accountDescriptions } from '#services/trading/stream/account-descriptions.ts'
import { certificateDescriptions } from '#services/trading/stream/certificate-descriptions.ts'
import { payoutDescriptions } from '#services/trading/stream/payout-descriptions.ts'
import { centsAmount } from '#services/rules/money.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-decoding.ts'
import { ERASED } from '#services/event-sourcing/erased.ts'
import {
  encryptedFields,
  encryptedFieldsOf,
  projection,
  type RecordedEventOf,
} from '#services/event-sourcing/read-models/projection.ts'
import { certificateEvents } from '#services/trading/stream/certificate.ts'
import { userEvents } from '#services/identity/users/user.ts'
import { findingDescriptions } from '#services/trading/stream/finding-descriptions.ts'
import { findingEvents } from '#services/trading/stream/finding-events.ts'
import { payoutEvents } from '#services/trading/stream/payout.ts'
import { accountEvents } from '#services/trading/stream/account.ts'

const notice = z.object({
  /** Without the name of a certificate. */
  changes: z.array(fieldChange),
  evidence: breachEvidence.nullable(),
  /** The number of the mistaken breach that it corrects. */
  corrects: z.int().nullable(),
  requestId: z.string(),
  /** The amount of a payout, in cents. */
  amount: centsAmount.nullable(),
  /** The name of an issued certificate, encrypted. */
  certificateName: encryptedFields.nullable(),
})

const document = z.object({
  userId: z.string(),
  /** The account's id, or the user's for what is decided about the user: it is marked on all their curves. */
  about: z.string(),
  /** The stream of the event: the account's, or the user's (bans). */
  stream: z.enum(['account', 'user']),
  type: z.string(),
  number: z.int(),
  at: z.int(),
  actor,
  /** In the words of the person who decided. */
  reason: z.string().nullable(),
  /** Its label on the balance curve of the account. */
  label: z.string(),
  /** The trader whose bell shows it; null for none. */
  bellOf: z.string().nullable(),
  /** The notice that the bell shows; null for none. */
  notice: notice.nullable(),
})

export type DecisionDocument = z.infer<typeof document>

const events = { ...accountEvents, ...findingEvents, ...payoutEvents, ...certificateEvents, ...userEvents }
const descriptions = {
  ...accountDescriptions,
  ...findingDescriptions,
  ...payoutDescriptions,
  ...certificateDescriptions,
  ...userDescriptions,
}

type Event = EventOf<typeof events>
type Marked<Type extends Event['type'] = TypeWith<{ readonly marker: unknown }, typeof descriptions>> = RecordedEventOf<
  Event,
  Type
>
type Noticed = Marked<TypeWith<{ readonly notice: unknown }, typeof descriptions>>

const described: EventDescriptions<Event> = descriptions

function describe<Type extends Event['type']>(type: Type): EventDescription<Extract<Event, { type: Type }>> {
  return described[type]
}

/** The compiler asks for every event whose description has a marker. */
const handlers = {
  AccountOpened: (_, event) => decisionOf(event),
  AccountStatusChanged: (_, event) => {
    const { evidence, corrects } = event.data
    return noticeOf(event, { evidence, corrects: corrects?.number ?? null })
  },
  RiskLimitsChanged: (_, event) => noticeOf(event),
  PlatformLoginAssigned: (_, event) => noticeOf(event),
  PhaseChanged: (_, event) => noticeOf(event),
  StageBegun: (_, event) => noticeOf(event),
  StagePassed: (_, event) => noticeOf(event),
  LimitNeared: (_, event) => noticeOf(event),
  HitsNoted: (_, event) => noticeOf(event),
  PayoutsEnabled: (_, event) => noticeOf(event),
  PayoutsDisabled: (_, event) => noticeOf(event),
  AccountClosed: (_, event) => decisionOf(event),
  PayoutRequested: (_, event) => decisionOf(event),
  PayoutWithdrawn: (_, event) => decisionOf(event),
  PayoutApproved: (_, event) => noticeOf(event),
  PayoutRejected: (_, event) => noticeOf(event),
  PaymentSent: (_, event) => noticeOf(event),
  PaymentPaid: (_, event) => noticeOf(event),
  PaymentFailed: (_, event) => noticeOf(event),
  PaymentReturned: (_, event) => noticeOf(event),
  CertificateIssued: (_, event) => {
    const nameless = { ...event, data: { ...event.data, name: ERASED } }
    return noticeOf(nameless, { certificateName: encryptedFieldsOf(event) })
  },
  CertificateRevoked: (_, event) => noticeOf(event),
  UserBanned: (_, event) => decisionOf(event),
  UserUnbanned: (_, event) => decisionOf(event),
} satisfies {
  [Type in Marked['type']]: (_: DecisionDocument | undefined, event: Marked<Type>) => DecisionDocument
}

/**
 * One document per decision about a user: what is marked on the balance curve of the account, and what the bell shows.
 */
export const decisions = projection(events, {
  name: 'decisions',
  version: 8,
  document,
  filters: ['about', 'bellOf'],
  selective: ['about', 'bellOf'],
  // In the order of the log, as in balance-read-model.ts.
  documentId: ({ position }) => position,
  on: handlers,
})

/** Labels and reasons hold nothing personal. */
function decisionOf(event: Marked): DecisionDocument {
  const { personId: userId, type, at, data, metadata } = event
  const { marker, reason } = describe(type)
  if (userId === undefined || !marker) throw new Error(`${type} in ${event.stream} is not marked on a curve`)
  const { category, id } = parseStreamName(event.stream)
  return {
    userId,
    about: id,
    stream: category === 'user' ? 'user' : 'account',
    type,
    number: eventNumber(event),
    at,
    actor: actor.parse(metadata.actor),
    reason: reason?.(data) ?? null,
    label: marker(data),
    bellOf: null,
    notice: null,
  }
}

type Details = Partial<z.infer<typeof notice>>

function noticeOf(event: Noticed, details: Details = {}): DecisionDocument {
  const decision = decisionOf(event)
  // An action of traders themselves is no news to them.
  if (decision.actor.kind === 'trader') return decision
  const changes = [...(describe(event.type).changes?.(event) ?? [])]
  const { requestId } = event.metadata
  const amount = 'amount' in event.data ? event.data.amount : null
  return {
    ...decision,
    bellOf: decision.userId,
    notice: { changes, evidence: null, corrects: null, requestId, amount, certificateName: null, ...details },
  }
}
