import { z } from 'zod'
import {
  type AppendedEvent,
  type EventOf,
  defineEvents,
  personal,
  secret,
} from '#services/event-sourcing/event-definitions.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { ERASED } from '#services/event-sourcing/erased.ts'
import { type Account, accountNotFound } from './account.ts'
import { type CertificateId, certificateId } from '#services/framework/ids.ts'
import { NumberedList } from '#services/event-sourcing/numbered-list.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'

/**
 * Certificates issued to the owner of a trading account (specification §2, §5), their revocation, and the public links
 * that the owner shares.
 */

export const certificateEvents = defineEvents({
  CertificateIssued: {
    certificateId,
    /** An administrator's words, which often hold the trader's name. */
    name: personal(z.string()),
    /** ISO date or time. */
    issuedAt: z.string(),
    /** Key in the file store, size in bytes and SHA-256 (hex) of the PDF. */
    file: z.string(),
    size: z.int(),
    sha256: z.string(),
  },
  /** No longer valid. Its file stays. */
  CertificateRevoked: { certificateId, reason: z.string().nullable() },
  /** Anyone with the link sees what was issued; also a new choice about the name, under the same link. */
  CertificateShared: {
    certificateId,
    /** The unguessable part of the link. */
    code: secret(z.string()),
    /** A hash of the code under a key of the installation. It finds the certificate of a link; the link cannot be recovered from it. */
    codeHash: z.string(),
    showsName: z.boolean(),
    /** Whether the name was shown before; null for a certificate that was not shared. */
    from: z.boolean().nullable(),
  },
  CertificateSharingEnded: {
    certificateId,
    /** Whether the name was shown. */
    from: z.boolean(),
  },
})

export type CertificateEvent = EventOf<typeof certificateEvents>

export type CertificateIssue = Extract<CertificateEvent, { type: 'CertificateIssued' }>['data']

export type CertificateShare = Readonly<
  Pick<Extract<CertificateEvent, { type: 'CertificateShared' }>['data'], 'code' | 'codeHash' | 'showsName'>
>

export interface Certificate extends Readonly<Omit<CertificateIssue, 'certificateId'>> {
  readonly id: CertificateId
  /** Ms since 1970. */
  readonly uploadedAt: number
  /** The revision of the event that issued it. */
  readonly revision: number
  /** Ms since 1970; null while it is valid. */
  readonly revokedAt: number | null
  /** Null while it is not shared. */
  readonly share: CertificateShare | null
}

/** The certificates of an account. */
export type Certificates = NumberedList<CertificateId, Certificate>

/** The parts of an account's state that decisions on its certificates need. */
export interface CertificateState {
  readonly account: Pick<Account, 'id' | 'erased'>
  readonly certificates: Certificates
}

function evolve(certificates: Certificates, event: AppendedEvent<CertificateEvent>): Certificates {
  const { type, data, at, revision } = event
  if (type === 'CertificateIssued') {
    const { certificateId: id, ...issued } = data
    return certificates.with({ id, ...issued, uploadedAt: at, revision, revokedAt: null, share: null })
  }
  const certificate = certificates.get(data.certificateId)
  if (!certificate) return certificates
  switch (type) {
    case 'CertificateRevoked':
      return certificates.with({ ...certificate, revokedAt: at })
    case 'CertificateShared': {
      const { code, codeHash, showsName } = data
      return certificates.with({ ...certificate, share: { code, codeHash, showsName } })
    }
    case 'CertificateSharingEnded':
      return certificates.with({ ...certificate, share: null })
  }
}

export const certificateDecider: Decider<Certificates, CertificateEvent> = { initial: new NumberedList(), evolve }

/** The certificates of a deleted user. */
export function withoutNames(certificates: Certificates): Certificates {
  return [...certificates.values()].reduce((all, one) => all.with({ ...one, name: ERASED }), certificates)
}

/** Issues a certificate whose file is already kept, also for an account that is closed. */
export function issueCertificate(
  { account, certificates }: CertificateState,
  issue: CertificateIssue,
): CertificateEvent[] {
  if (!account.id || account.erased) throw accountNotFound()
  if (certificates.has(issue.certificateId)) throw new Refused('conflict', 'This certificate was already issued')
  return [{ type: 'CertificateIssued', data: issue }]
}

/** The id that the account's next certificate gets. */
export function nextCertificateId({ account, certificates }: CertificateState): CertificateId {
  if (!account.id || account.erased) throw accountNotFound()
  return certificateId.parse(`${account.id}-c${certificates.highest + 1}`)
}

/** Declares a certificate invalid, for good. The reason is optional. */
export function revokeCertificate(state: CertificateState, id: CertificateId, reason: string): CertificateEvent[] {
  if (existing(state, id).revokedAt !== null) throw new Refused('conflict', 'This certificate was already revoked')
  return [{ type: 'CertificateRevoked', data: { certificateId: id, reason: reason || null } }]
}

/**
 * Shares a certificate under a link, or changes whether a shared one shows the holder's name: its link stays the same.
 * No event when nothing changes.
 *
 * @param link For a certificate that is not shared yet.
 */
export function shareCertificate(
  state: CertificateState,
  id: CertificateId,
  showsName: boolean,
  link: Pick<CertificateShare, 'code' | 'codeHash'>,
): CertificateEvent[] {
  const { share, revokedAt } = existing(state, id)
  if (share?.showsName === showsName) return []
  if (!share && revokedAt !== null) throw new Refused('conflict', 'This certificate was revoked')
  const { code, codeHash } = share ?? link
  return [
    {
      type: 'CertificateShared',
      data: { certificateId: id, code, codeHash, showsName, from: share?.showsName ?? null },
    },
  ]
}

/** Ends the link of a certificate for good: sharing it again makes another. No event when it is not shared. */
export function endSharing(state: CertificateState, id: CertificateId): CertificateEvent[] {
  return endOf(existing(state, id))
}

/** Ends every link of an account. */
export function endAllSharing(certificates: Certificates): CertificateEvent[] {
  return [...certificates.values()].flatMap(endOf)
}

function endOf({ id, share }: Certificate): CertificateEvent[] {
  return share ? [{ type: 'CertificateSharingEnded', data: { certificateId: id, from: share.showsName } }] : []
}

function existing({ account, certificates }: CertificateState, id: CertificateId): Certificate {
  const certificate = account.erased ? undefined : certificates.get(id)
  if (!certificate) throw new Refused('not-found', 'Certificate not found')
  return certificate
}
