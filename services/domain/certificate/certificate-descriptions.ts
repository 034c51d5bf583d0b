import { change, type EventDescriptions, isoTime } from '../event-description.ts'
import type { CertificateEvent } from './certificate.ts'

export const certificateDescriptions = {
  CertificateIssued: {
    title: 'Certificate issued',
    category: 'certificates',
    refreshes: { trader: ['certificates'] },
    changes: ({ data: { certificateId: id, name, issuedAt }, at }) => [change(`certificates.${id}`, null, { id, name, issuedAt, uploadedAt: isoTime(at) })],
    marker: () => 'Certificate issued',
    mail: true,
  },
} as const satisfies EventDescriptions<CertificateEvent>
