import { z } from 'zod'
import { type AppendedEvent, type EventOf, defineEvents, personal } from '../../event-sourcing/event-definitions.ts'
import { type CertificateId, certificateId, type UserId } from '../ids.ts'
import type { NumberedList } from '../numbered-list.ts'
import { Refused } from '../../event-sourcing/refusal.ts'

/** Certificates issued to the owner of a trading account (specification §2, §5). */

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
})

export type CertificateEvent = EventOf<typeof certificateEvents>

export interface Certificate {
  readonly id: CertificateId
  readonly issuedAt: string
  readonly file: string
}

/** What of a trading account its certificates are decided on. */
export interface CertificateAccount {
  readonly userId: UserId | null
  /** Opened and not closed. */
  readonly open: boolean
  readonly certificates: NumberedList<CertificateId, Certificate>
}

export function evolveCertificates(
  certificates: CertificateAccount['certificates'],
  { data: { certificateId: id, issuedAt, file } }: AppendedEvent<CertificateEvent>,
): CertificateAccount['certificates'] {
  return certificates.with({ id, issuedAt, file })
}

export type CertificateIssue = CertificateEvent['data']

/** Issues a certificate whose file is already kept. */
export function issueCertificate(account: CertificateAccount, issue: CertificateIssue): CertificateEvent[] {
  if (!account.open) throw new Refused('not-found', 'User not found')
  if (account.certificates.has(issue.certificateId)) throw new Refused('conflict', 'This certificate was already issued')
  return [{ type: 'CertificateIssued', data: issue }]
}

/** The id that the account's next certificate gets. */
export function nextCertificateId(account: CertificateAccount): CertificateId {
  return certificateId.parse(`${account.userId}-c${account.certificates.highest + 1}`)
}
