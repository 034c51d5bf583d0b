import { z } from 'zod'
import { namedObject } from '#services/api/openapi-component.ts'
import { INVALID, LONGEST_TEXT, namedRequest, request, requiredText, trimmedText } from '#services/api/text.ts'

/** Certificates: an administrator uploads a PDF, its trader downloads it (specification §5, §9). */

/** 5 MB. */
export const LARGEST_CERTIFICATE = 5 * 1024 * 1024

export const CERTIFICATE_FIELD = 'certificateFile'
export const CERTIFICATE_TYPE = 'application/pdf'

/** The messages about the file (specification §5). */
export const certificateFileMessages = {
  required: 'Certificate PDF is required',
  tooLarge: 'File size must be less than 5MB',
  noPdf: 'Only PDF files are accepted',
} as const

/** A day or a moment. Forms send an empty field when no date is chosen: then it is today. */
const issuedAt = z.union([z.literal('').transform(() => undefined), z.iso.date(), z.iso.datetime({ offset: true })], { error: INVALID }).optional()

const certificateFields = { name: requiredText(LONGEST_TEXT, 'Certificate name is required'), issuedAt }

/** POST /api/admin/certificates: the text fields beside the file. */
export const CertificateUpload = namedRequest('CertificateUpload', { ...certificateFields, userId: requiredText(LONGEST_TEXT) })

/** The upload form: the same fields with the file, checked before it is sent. */
export const CertificateForm = request({
  ...certificateFields,
  [CERTIFICATE_FIELD]: z
    .file({ error: certificateFileMessages.required })
    .max(LARGEST_CERTIFICATE, certificateFileMessages.tooLarge)
    .mime(CERTIFICATE_TYPE, certificateFileMessages.noPdf),
})

/** The public link of a shared certificate. */
export const CertificateShare = namedObject('CertificateShare', {
  /** A path on this server that anyone may open. */
  path: z.string().regex(/^\/c\/[\w-]{22}$/),
  /** Whether its page shows the holder's name. */
  showsName: z.boolean(),
})
export type CertificateShare = z.infer<typeof CertificateShare>

/** POST /api/user/certificates/:id/share */
export const CertificateSharing = namedRequest('CertificateSharing', { showsName: z.boolean({ error: INVALID }) })
export type CertificateSharing = z.infer<typeof CertificateSharing>

/** POST /api/admin/certificates/:id/revoke */
export const CertificateRevocation = namedRequest('CertificateRevocation', { reason: trimmedText(LONGEST_TEXT).optional() })

export const Certificate = namedObject('Certificate', {
  id: z.string(),
  userId: z.string(),
  name: z.string(),
  /** A path on this server; only the owner and administrators get the file. */
  fileUrl: z.string().regex(/^\//),
  issuedAt: z.union([z.iso.date(), z.iso.datetime({ offset: true })]),
  uploadedAt: z.iso.datetime(),
  /** Null while it is valid. */
  revokedAt: z.iso.datetime().nullable(),
  /** Null while it is not shared. */
  share: CertificateShare.nullable(),
})
export type Certificate = z.infer<typeof Certificate>
