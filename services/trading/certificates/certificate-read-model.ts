import { z } from 'zod'
import { accountOf, ownerOf } from '#services/framework/ids.ts'
import {
  encryptedFields,
  encryptedFieldsOf,
  updateExisting,
  projection,
} from '#services/event-sourcing/read-models/projection.ts'
import { certificateEvents } from '#services/trading/stream/certificate.ts'

const document = z.object({
  id: z.string(),
  userId: z.string(),
  accountId: z.string(),
  /** Free text of an administrator, encrypted. */
  name: encryptedFields,
  /** Key in the file store. */
  file: z.string(),
  /** Bytes. */
  size: z.int(),
  /** Hex. */
  sha256: z.string(),
  /** ISO date or time, as the administrator gave it. */
  issuedAt: z.string(),
  uploadedAt: z.int(),
  /** The revision of its event in the account's stream. */
  revision: z.int(),
  /** Ms since 1970; null while it is valid. */
  revokedAt: z.int().nullable(),
  /** Null while it is not shared. */
  share: z
    .object({
      /** The code of the link, encrypted. */
      code: encryptedFields,
      showsName: z.boolean(),
    })
    .nullable(),
  /** A link finds it by this hash; null while it is not shared. */
  codeHash: z.string().nullable(),
})

export type CertificateDocument = z.infer<typeof document>

/** One document per certificate: the trader's list and what a download needs. */
export const certificates = projection(certificateEvents, {
  name: 'certificates',
  version: 3,
  document,
  filters: ['userId', 'accountId', 'codeHash'],
  documentId: (event) => event.data.certificateId,
  on: {
    CertificateIssued: (_, event): CertificateDocument => {
      const { certificateId: id, ...issued } = event.data
      const accountId = accountOf(id)
      const recorded = { ...issued, name: encryptedFieldsOf(event), uploadedAt: event.at, revision: event.revision }
      return { id, userId: ownerOf(accountId), accountId, ...recorded, revokedAt: null, share: null, codeHash: null }
    },
    CertificateRevoked: updateExisting((certificate, { at }) => ({ ...certificate, revokedAt: at })),
    CertificateShared: updateExisting((certificate, event) => {
      const { showsName, codeHash } = event.data
      return { ...certificate, share: { code: encryptedFieldsOf(event), showsName }, codeHash }
    }),
    CertificateSharingEnded: updateExisting((certificate) => ({ ...certificate, share: null, codeHash: null })),
  },
})
