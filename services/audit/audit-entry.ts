import { type AuditActor, type AuditChange, type AuditFact, type AuditValue, toDecimal } from '../api/index.ts'
import { ERASED } from '../event-sourcing/event-definitions.ts'
import type { RecordedEvent } from '../event-sourcing/codec/event-codec.ts'
import { eventNumber } from '../event-sourcing/codec/event-number.ts'
import type { Actor } from '../event-sourcing/codec/metadata.ts'

/** Facts in the words of the audit: who, when, what changed from what to what, why. Master passwords are never told. */

/** How actors are named to whoever reads. */
export type ActorFormatter = (actor: Actor) => AuditActor

/** Stands for a secret that was set. */
export const HIDDEN = '••••••••'

/** For administrators and auditors: whose key it was. */
export const formatActorInFull: ActorFormatter = (actor) => ({ kind: actor.kind, label: actor.kind === 'trader' ? actor.id : actor.label })

/** For traders: that an administrator decided, and by a hash of the key's label whether it was the same one. */
export function actorFormatterForTraders(hash: (label: string) => string): ActorFormatter {
  return (actor) => {
    if (actor.kind === 'trader') return { kind: 'trader', label: actor.id }
    return { kind: actor.kind, label: actor.kind === 'admin' ? `admin ${hash(actor.label).slice(0, 12)}` : 'system' }
  }
}

/** A fact as the audit tells it. */
export function toAuditEntry(fact: RecordedEvent, name: ActorFormatter): AuditFact {
  const { actor, requestId } = fact.metadata
  return {
    number: eventNumber(fact),
    at: new Date(fact.at).toISOString(),
    type: fact.type,
    userId: fact.userId ?? null,
    actor: name(actor),
    changes: changesOf(fact),
    reason: reasonOf(fact),
    ...(fact.type === 'AccountStatusChanged' && evidenceOf(fact.data)),
    requestId,
  }
}

/** What a breach was seen by, and the mistaken one that is corrected: told where there is something to tell. */
function evidenceOf({ evidence, corrects }: Extract<RecordedEvent, { type: 'AccountStatusChanged' }>['data']): Pick<AuditFact, 'evidence' | 'corrects'> {
  return {
    ...(evidence && { evidence: { ...evidence, occurredAt: new Date(evidence.occurredAt).toISOString() } }),
    ...(corrects && { corrects: corrects.number }),
  }
}

/** Why, as it was recorded. Each is a reason that its trader may read: of statuses, limits and bans, and notes of verdicts. */
function reasonOf(fact: RecordedEvent): string | null {
  switch (fact.type) {
    case 'UserBanned':
    case 'AccountStatusChanged':
    case 'RiskLimitsChanged':
      return fact.data.reason
    case 'PayoutApproved':
    case 'PayoutRejected':
      return fact.data.notes || null
    case 'AdminSignInRefused':
      return fact.data.why
    default:
      return null
  }
}

/** What a fact changed, as the fact itself says. */
function changesOf(fact: RecordedEvent): AuditChange[] {
  const time = new Date(fact.at).toISOString()
  switch (fact.type) {
    case 'UserRegistered':
    case 'UserCreated': {
      const { fullName, email, country, city, street, houseNumber } = fact.data
      const privacyPolicyAgreed = fact.type === 'UserRegistered' && fact.data.privacyPolicyAgreed
      return [change('user', null, { fullName, email, country, city, street, houseNumber, privacyPolicyAgreed })]
    }
    case 'ProfileChanged': {
      const { fields, from, to } = fact.data
      return fields.map((field) => change(`user.${field}`, from[field] ?? ERASED, to[field] ?? ERASED))
    }
    case 'UserBanned':
      return differing('user', { banned: fact.data.from !== null, banReason: fact.data.from }, { banned: true, banReason: fact.data.reason })
    case 'UserUnbanned':
      return [change('user.banned', true, false), change('user.banReason', fact.data.from, null)]
    case 'UserDeleted':
      return [change('user.deleted', false, true)]
    case 'AccountStatusChanged':
      return [change('account.status', fact.data.from, fact.data.to)]
    case 'BalanceChanged':
      return [change('account.balance', toDecimal(fact.data.from), toDecimal(fact.data.to))]
    case 'ProfitLossChanged':
      return [change('account.profitLoss', toDecimal(fact.data.from), toDecimal(fact.data.to))]
    case 'RiskLimitsChanged':
      return differing('account', fact.data.from, fact.data.to)
    case 'PlatformLoginAssigned': {
      const { from, to, masterPassword } = fact.data
      const others = differing('account', from, to)
      // The fact does not say what the master password was before, or whether it is another one now.
      return others.length > 0 ? others : [change('account.masterPassword', HIDDEN, masterPassword === null ? null : HIDDEN)]
    }
    case 'PhaseChanged':
      return [change('account.phase', fact.data.from, fact.data.to)]
    case 'PayoutsEnabled':
      return [change('account.payoutEnabled', false, true)]
    case 'PayoutsDisabled':
      return [change('account.payoutEnabled', true, false)]
    case 'PayoutRequested': {
      const { payoutId: id, amount, method, details } = fact.data
      const request = { id, amount: toDecimal(amount), paymentMethod: method, paymentDetails: details, status: 'pending' }
      return [change(`payouts.${id}`, null, { ...request, adminNotes: null, createdAt: time, decidedAt: null })]
    }
    case 'PayoutApproved':
      return [change(`payouts.${fact.data.payoutId}.status`, fact.data.from, 'approved')]
    case 'PayoutRejected':
      return [change(`payouts.${fact.data.payoutId}.status`, fact.data.from, 'rejected')]
    case 'CertificateIssued': {
      const { certificateId: id, name, issuedAt } = fact.data
      return [change(`certificates.${id}`, null, { id, name, issuedAt, uploadedAt: time })]
    }
    case 'AdminKeyIssued':
      return [change('accessKey.label', null, fact.data.label), change('accessKey.role', null, fact.data.role)]
    case 'MailSent':
      return [change('mail.about', null, fact.data.kind), change('mail.stream', null, fact.data.stream)]
    case 'AdminKeyRevoked':
      return [change('accessKey.revoked', false, true)]
    default:
      return []
  }
}

function change(field: string, from: AuditValue, to: AuditValue): AuditChange {
  return { field, from, to }
}

/** The fields that two records of the same shape differ in. */
function differing(
  prefix: string,
  from: Readonly<Record<string, string | boolean | null>>,
  to: Readonly<Record<string, string | boolean | null>>,
): AuditChange[] {
  return Object.keys(to).flatMap((field) => {
    const [before, after] = [from[field] ?? null, to[field] ?? null]
    return before === after ? [] : [change(`${prefix}.${field}`, before, after)]
  })
}
