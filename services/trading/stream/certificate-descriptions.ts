import { change, type EventDescriptions, isoTime } from '#services/framework/event-description.ts'
import type { CertificateEvent } from './certificate.ts'

/** The public link of a certificate in a state: whether its page shows the name, or null where there is none. */
export function linkOf(showsName: boolean | null): 'with name' | 'without name' | null {
  return showsName === null ? null : showsName ? 'with name' : 'without name'
}

export const certificateDescriptions = {
  CertificateIssued: {
    title: 'Certificate issued',
    category: 'certificates',
    changes: ({ data: { certificateId: id, name, issuedAt }, at }) => [
      change(`certificates.${id}`, null, { id, name, issuedAt, uploadedAt: isoTime(at), revokedAt: null, link: null }),
    ],
    marker: () => 'Certificate issued',
    mail: true,
    notice: 'certificates',
  },
  CertificateRevoked: {
    title: 'Certificate revoked',
    category: 'certificates',
    changes: ({ data: { certificateId: id }, at }) => [change(`certificates.${id}.revokedAt`, null, isoTime(at))],
    reason: ({ reason }) => reason,
    marker: () => 'Certificate revoked',
    mail: true,
    notice: 'certificates',
  },
  CertificateShared: {
    title: 'Certificate shared',
    category: 'certificates',
    changes: ({ data: { certificateId: id, showsName, from } }) => [
      change(`certificates.${id}.link`, linkOf(from), linkOf(showsName)),
    ],
  },
  CertificateSharingEnded: {
    title: 'Certificate no longer shared',
    category: 'certificates',
    changes: ({ data: { certificateId: id, from } }) => [change(`certificates.${id}.link`, linkOf(from), null)],
  },
} as const satisfies EventDescriptions<CertificateEvent>
