import { isoTime } from '#services/framework/event-description.ts'
import { listPart } from '#services/framework/shown-state.ts'
import { AuditCertificate } from './certificate-api.ts'
import { linkOf } from '#services/trading/stream/certificate-descriptions.ts'
import type { Certificates } from '#services/trading/stream/certificate.ts'

/** The certificates of an account at a moment, as people read them. */
export const certificatePart = listPart({
  title: 'Certificates',
  item: 'Certificate',
  empty: 'No certificates yet.',
  schema: AuditCertificate.array(),
  fields: {
    name: { label: 'Certificate Name', kind: 'text', place: 'value' },
    issuedAt: { label: 'Issued', kind: 'day', place: 'line', lead: 'Issued' },
    uploadedAt: { label: 'Added', kind: 'time', place: null, hiddenInObject: true },
    revokedAt: { label: 'Revoked', kind: 'time', place: 'line', lead: 'Revoked' },
    link: { label: 'Public link', kind: 'text', unset: 'none', place: 'line', lead: 'Shared' },
  },
  show: (certificates: Certificates) =>
    [...certificates.values()].map(({ id, name, issuedAt, uploadedAt, revokedAt, share }) => ({
      id,
      name,
      issuedAt,
      uploadedAt: isoTime(uploadedAt),
      revokedAt: revokedAt === null ? null : isoTime(revokedAt),
      link: linkOf(share && share.showsName),
    })),
})
