import { z } from 'zod'

/** A user's id: lower-case letters and digits, made at random by the command service. */
export const userId = idLike<'UserId'>(/^[a-z0-9]{8,40}$/)
export type UserId = z.infer<typeof userId>

/**
 * An account's id names its owner, so that the key of a personal field is known offline: '<userId>-a<number>'. The
 * numbers are counted by the user's stream.
 */
export const accountId = idLike<'AccountId'>(/^[a-z0-9]{8,40}-a[1-9]\d{0,3}$/)
export type AccountId = z.infer<typeof accountId>

/** A payout's id names its account, so a decision finds its stream without a read model: '<accountId>-p<number>'. */
export const payoutId = idLike<'PayoutId'>(/^[a-z0-9]{8,40}-a[1-9]\d{0,3}-p[1-9]\d{0,5}$/)
export type PayoutId = z.infer<typeof payoutId>

/** '<accountId>-c<number>'. */
export const certificateId = idLike<'CertificateId'>(/^[a-z0-9]{8,40}-a[1-9]\d{0,3}-c[1-9]\d{0,5}$/)
export type CertificateId = z.infer<typeof certificateId>

/** An admin key's id: derived from the key itself, so that a key finds its own stream. */
export const adminKeyId = idLike<'AdminKeyId'>(/^[a-z0-9]{1,64}$/)
export type AdminKeyId = z.infer<typeof adminKeyId>

/** A saved view of a member of staff: 'v<number>', counted by the member's stream of views. */
export const savedViewId = idLike<'SavedViewId'>(/^v[1-9]\d{0,5}$/)
export type SavedViewId = z.infer<typeof savedViewId>

/** An internal note on a user: 'n<number>', counted by the stream of the user's notes. */
export const userNoteId = idLike<'UserNoteId'>(/^n[1-9]\d{0,5}$/)
export type UserNoteId = z.infer<typeof userNoteId>

/** A text of the firm for rejections: 't<number>', counted by the stream of these texts. */
export const replyTemplateId = idLike<'ReplyTemplateId'>(/^t[1-9]\d{0,5}$/)
export type ReplyTemplateId = z.infer<typeof replyTemplateId>

/** A key of a program: derived from the key itself, so that a key finds its own stream. */
export const apiKeyId = idLike<'ApiKeyId'>(/^[a-z0-9]{1,64}$/)
export type ApiKeyId = z.infer<typeof apiKeyId>

/** A programme's id: made at random, or the name of a preset, 'one-step-100000'. */
export const programmeId = idLike<'ProgrammeId'>(/^[a-z0-9][a-z0-9-]{0,39}$/)
export type ProgrammeId = z.infer<typeof programmeId>

/** A batch's id, made at random. Files carry it as the id of their message: at most 35 characters. */
export const batchId = idLike<'BatchId'>(/^[a-z0-9]{8,35}$/)
export type BatchId = z.infer<typeof batchId>

/** An import's id, made at random. */
export const importId = idLike<'ImportId'>(/^[a-z0-9]{8,40}$/)
export type ImportId = z.infer<typeof importId>

/** '<accountId>-o<number>': an observation of an account under a programme. */
export const observationId = idLike<'ObservationId'>(/^[a-z0-9]{8,40}-a[1-9]\d{0,3}-o[1-9]\d{0,7}$/)
export type ObservationId = z.infer<typeof observationId>

/** '<accountId>-f<number>': a finding of the rules about an account. */
export const findingId = idLike<'FindingId'>(/^[a-z0-9]{8,40}-a[1-9]\d{0,3}-f[1-9]\d{0,5}$/)
export type FindingId = z.infer<typeof findingId>

/** '<accountId>-q<number>': a trader's objection to a decision about an account. */
export const caseId = idLike<'CaseId'>(/^[a-z0-9]{8,40}-a[1-9]\d{0,3}-q[1-9]\d{0,5}$/)
export type CaseId = z.infer<typeof caseId>

/** '<userId>-e<number>': an enrolment's id names its trader. The numbers are counted by the user's stream. */
export const enrolmentId = idLike<'EnrolmentId'>(/^[a-z0-9]{8,40}-e[1-9]\d{0,3}$/)
export type EnrolmentId = z.infer<typeof enrolmentId>

/** An order's id: a keyed hash of what the shop calls it. */
export const orderId = idLike<'OrderId'>(/^[0-9a-f]{64}$/)
export type OrderId = z.infer<typeof orderId>

/** The id of a user's enrolment with this number, counted from 1. */
export function enrolmentIdOf(trader: UserId, number: number): EnrolmentId {
  return enrolmentId.parse(`${trader}-e${number}`)
}

/** The trader whom an enrolment's id names. */
export function userOfEnrolment(id: EnrolmentId): UserId {
  return userId.parse(withoutLastPart(id))
}

/** The id of a user's account with this number, counted from 1. */
export function accountIdOf(owner: UserId, number: number): AccountId {
  return accountId.parse(`${owner}-a${number}`)
}

/** The id of an account's observation with this number, counted from 1. */
export function observationIdOf(account: AccountId, number: number): ObservationId {
  return observationId.parse(`${account}-o${number}`)
}

/** The id of an account's finding with this number, counted from 1. */
export function findingIdOf(account: AccountId, number: number): FindingId {
  return findingId.parse(`${account}-f${number}`)
}

/** The id of an account's case with this number, counted from 1. */
export function caseIdOf(account: AccountId, number: number): CaseId {
  return caseId.parse(`${account}-q${number}`)
}

/** The account that the id of a payout, a certificate, a finding or a case names. */
export function accountOf(id: PayoutId | CertificateId | FindingId | CaseId): AccountId {
  return accountId.parse(withoutLastPart(id))
}

/** The owner whom an account's id names. */
export function ownerOf(id: AccountId): UserId {
  return userId.parse(withoutLastPart(id))
}

function withoutLastPart(id: string): string {
  return id.slice(0, id.lastIndexOf('-'))
}

function idLike<Name extends string>(pattern: RegExp) {
  // People read it, where a form sends an id.
  const error = 'Invalid input'
  return z.string({ error }).regex(pattern, error).brand<Name>()
}
