import { z } from 'zod'
import { ownerOf } from '../domain/ids.ts'
import { defineProjection } from './define-projection.ts'
import { encryptedFields, encryptedFieldsOf } from '../event-sourcing/projections/projection.ts'

const document = z.object({
  id: z.string(),
  userId: z.string(),
  /** Free text of an administrator, encrypted. */
  name: encryptedFields,
  /** Key in the file store. */
  file: z.string(),
  /** Bytes. */
  size: z.int(),
  /** Hex; null only in documents of version 1. */
  sha256: z.string().nullable().default(null),
  /** ISO date or time, as the administrator gave it. */
  issuedAt: z.string(),
  uploadedAt: z.int(),
})

export type CertificateDocument = z.infer<typeof document>

/** One document per certificate: the trader's list and what a download needs. */
export const certificates = defineProjection({
  name: 'certificates',
  version: 2,
  document,
  filters: ['userId'],
  documentId: (event) => event.data.certificateId,
  on: {
    CertificateIssued: (_, event): CertificateDocument => ({
      id: event.data.certificateId,
      userId: ownerOf(event.data.certificateId),
      name: encryptedFieldsOf(event),
      file: event.data.file,
      size: event.data.size,
      sha256: event.data.sha256,
      issuedAt: event.data.issuedAt,
      uploadedAt: event.at,
    }),
  },
})
