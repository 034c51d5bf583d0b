import { z } from 'zod'
import { ownerOf } from '../domain/ids.ts'
import { defineProjection } from './define-projection.ts'
import { encryptedFields, encryptedFieldsOf } from '../event-sourcing/projections/projection.ts'

const document = z.object({
  id: z.string(),
  userId: z.string(),
  /** An administrator's words, encrypted. */
  name: encryptedFields,
  /** Key in the file store. */
  file: z.string(),
  /** Bytes. */
  size: z.int(),
  /** ISO date or time, as the administrator gave it. */
  issuedAt: z.string(),
  uploadedAt: z.int(),
})

export type CertificateDocument = z.infer<typeof document>

/** One document a certificate: the trader's list and what a download needs. */
export const certificates = defineProjection({
  name: 'certificates',
  version: 1,
  document,
  filters: ['userId'],
  documentId: (fact) => fact.data.certificateId,
  on: {
    CertificateIssued: (_, fact): CertificateDocument => ({
      id: fact.data.certificateId,
      userId: ownerOf(fact.data.certificateId),
      name: encryptedFieldsOf(fact),
      file: fact.data.file,
      size: fact.data.size,
      issuedAt: fact.data.issuedAt,
      uploadedAt: fact.at,
    }),
  },
})
