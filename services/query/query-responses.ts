import { z } from 'zod'
import {
  accountResponse,
  type AccountStamps,
  type BreachEvidence,
  type AdminPayout,
  type Certificate,
  type ListedPayout,
  type ListedUser,
  type OwnAccount,
  type PayoutAccount,
  type Stamp,
  toDecimal,
  type User,
  type UserDetails,
} from '#services/api/index.ts'
import { HIDDEN, isoTime } from '#services/domain/event-description.ts'
import { definitions } from '#services/domain/streams.ts'
import { profileOf } from '#services/domain/user/profile.ts'
import { ERASED } from '#services/event-sourcing/erased.ts'
import type { BreachEvidence as Evidence } from '#services/domain/account/decision-reason.ts'
import { decryptPersonalFields } from '#services/event-sourcing/codec/event-codec.ts'
import type { PersonKey } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import type { EventDefinition } from '#services/event-sourcing/event-definitions.ts'
import type { EncryptedFields } from '#services/event-sourcing/read-models/projection.ts'
import type { CertificateDocument, PayoutDocument, StampDocument, UserDocument } from '#services/projections/index.ts'

/** Maps documents to answers field by field, so that no other field can leak. */

/** A stored document is the same object until it changes: then what was made of it is still right. */
function oncePerObject<Key extends object, Result>(work: (key: Key) => Result): (key: Key) => Result {
  const known = new WeakMap<Key, Result>()
  return (key) => {
    const existing = known.get(key)
    if (existing !== undefined) return existing
    const result = work(key)
    known.set(key, result)
    return result
  }
}

/** Administrators and auditors see whose key decided; traders only see that it was an administrator's. */
export type Audience = 'trader' | 'admin'

/** A stamp in an answer. */
export function stampResponse({ number, at, by, name }: StampDocument, reader: Audience): Stamp {
  return { number, at: isoTime(at), by, name: reader === 'admin' ? name : null }
}

function stampOrNone(stamp: StampDocument | null, reader: Audience): Stamp | null {
  return stamp && stampResponse(stamp, reader)
}

/** Traders may read reasons and evidence; the forms say so. */
function accountStamps({ account }: UserDocument, reader: Audience): AccountStamps {
  const { statusStamp: status, limitsStamp: limits } = account
  return {
    status: status && {
      ...stampResponse(status, reader),
      reason: status.reason,
      evidence: status.evidence && evidenceResponse(status.evidence),
      corrects: status.corrects,
    },
    phase: stampOrNone(account.phaseStamp, reader),
    limits: limits && { ...stampResponse(limits, reader), reason: limits.reason },
    payouts: stampOrNone(account.payoutsStamp, reader),
  }
}

/** The evidence of a breach in an answer. */
export function evidenceResponse(evidence: Evidence): BreachEvidence {
  return { ...evidence, occurredAt: isoTime(evidence.occurredAt) }
}

export function userResponse(user: UserDocument): User {
  const { id, privacyPolicyAgreed, banned, banReason, createdAt } = user
  return { id, ...profileOf(user), privacyPolicyAgreed, banned, banReason, createdAt: isoTime(createdAt) }
}

const ownAccountInClear = oncePerObject((user: UserDocument) => ({ ...accountResponse(user.account), stamps: accountStamps(user, 'trader') }))

export function ownAccountResponse(user: UserDocument, key: PersonKey | undefined): OwnAccount {
  return { ...ownAccountInClear(user), masterPassword: masterPasswordOf(user, key) }
}

export const listedUserResponse = oncePerObject((user: UserDocument): ListedUser => {
  return { ...userResponse(user), banStamp: stampOrNone(user.banStamp, 'admin'), tradingAccount: listedAccount(user) }
})

/** Staff learn only that there is a master password; to see it is a call of its own, which is recorded. */
export function userDetailsResponse(user: UserDocument, key: PersonKey | undefined): UserDetails {
  const account = listedAccount(user)
  const tradingAccount = account && { ...account, masterPassword: masterPasswordOf(user, key) === null ? null : HIDDEN }
  return { ...userResponse(user), banStamp: stampOrNone(user.banStamp, 'admin'), tradingAccount }
}

function listedAccount(user: UserDocument) {
  const { openedAt } = user.account
  // An account has no id of its own: it is its user's.
  if (openedAt === null) return null
  return { id: user.id, userId: user.id, ...accountResponse(user.account), createdAt: isoTime(openedAt), stamps: accountStamps(user, 'admin') }
}

/** Decrypted fields per key and event. Forgotten with the key, so that an erasure takes effect here too. */
const decrypted = new WeakMap<Uint8Array, Map<string, Record<string, unknown>>>()

/** The personal fields of an event, decrypted once while the person's key is cached. */
function personalFields(definition: EventDefinition, { eventId, sealed }: EncryptedFields, key: PersonKey | undefined): Record<string, unknown> {
  if (key === undefined || key === 'destroyed') return decryptPersonalFields(definition, eventId, sealed, key)
  const ofPerson = decrypted.get(key) ?? new Map<string, Record<string, unknown>>()
  const known = ofPerson.get(eventId)
  if (known) return known
  const fields = decryptPersonalFields(definition, eventId, sealed, key)
  decrypted.set(key, ofPerson.set(eventId, fields))
  return fields
}

const assignment = z.object({ masterPassword: z.string().nullable() })

function masterPasswordOf({ account: { masterPassword } }: UserDocument, key: PersonKey | undefined): string | null {
  if (!masterPassword) return null
  return assignment.parse(personalFields(definitions.PlatformLoginAssigned, masterPassword, key)).masterPassword
}

const payoutRequest = z.object({ details: z.string() })

/** A payout in a list. */
export function payoutResponse(payout: PayoutDocument, key: PersonKey | undefined, reader: Audience): ListedPayout {
  const { id, userId, amount, method, status, adminNotes, createdAt, decidedAt, details } = payout
  return {
    id,
    userId,
    amount: toDecimal(amount),
    paymentMethod: method,
    paymentDetails: payoutRequest.parse(personalFields(definitions.PayoutRequested, details, key)).details,
    status,
    adminNotes,
    createdAt: isoTime(createdAt),
    decidedAt: decidedAt === null ? null : isoTime(decidedAt),
    stamps: { requested: stampOrNone(payout.requested, reader), decided: stampOrNone(payout.decided, reader) },
  }
}

/** A deleted user's payouts remain without the person, even while this process still caches the key. */
export function staffPayoutResponse(
  payout: PayoutDocument,
  user: UserDocument | undefined,
  key: PersonKey | undefined,
  { firstApproval, needsSecondApproval }: Pick<PayoutDocument, 'firstApproval'> & Pick<AdminPayout, 'needsSecondApproval'>,
): AdminPayout {
  const { fullName, email } = user ?? { fullName: ERASED, email: ERASED }
  return {
    ...payoutResponse(payout, user ? key : 'destroyed', 'admin'),
    firstApproval: firstApproval && { ...stampResponse(firstApproval, 'admin'), member: firstApproval.member },
    needsSecondApproval,
    user: { fullName, email },
    account: user ? payoutAccount(user) : null,
  }
}

function payoutAccount({ account, banned }: UserDocument): PayoutAccount {
  const { status, phase, balance, profitLoss, dailyDrawdownLimit, overallLossLimit, payoutEnabled } = accountResponse(account)
  return { status, phase, balance, profitLoss, dailyDrawdownLimit, overallLossLimit, payoutEnabled, banned }
}

const certificateIssue = z.object({ name: z.string() })

export function certificateName({ name }: Pick<CertificateDocument, 'name'>, key: PersonKey | undefined): string {
  return certificateIssue.parse(personalFields(definitions.CertificateIssued, name, key)).name
}

export function certificateResponse(certificate: CertificateDocument, key: PersonKey | undefined): Certificate {
  const { id, userId, issuedAt, uploadedAt, revokedAt, share } = certificate
  const name = certificateName(certificate, key)
  return {
    id,
    userId,
    name,
    fileUrl: `/api/certificates/${id}/file`,
    issuedAt,
    uploadedAt: isoTime(uploadedAt),
    revokedAt: revokedAt === null ? null : isoTime(revokedAt),
    // The code reads 'erased' for a moment, while its person is being deleted.
    share: share && key !== 'destroyed' ? { path: `/c/${shareCode(share, key)}`, showsName: share.showsName } : null,
  }
}

const sharing = z.object({ code: z.string() })

function shareCode({ code }: NonNullable<CertificateDocument['share']>, key: PersonKey | undefined): string {
  return sharing.parse(personalFields(definitions.CertificateShared, code, key)).code
}
