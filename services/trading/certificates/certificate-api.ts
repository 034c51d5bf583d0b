import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import {
  answer,
  type Answer,
  anyCall,
  certificatePath,
  conflict,
  del,
  file,
  get,
  notFound,
  post,
  TEXT_TYPE,
  throttled,
  userPath,
} from '#services/framework/api/route.ts'
import {
  INVALID,
  LONGEST_TEXT,
  namedRequest,
  request,
  requiredText,
  text,
  trimmedText,
} from '#services/framework/api/text.ts'
import { AccountFilter } from '#services/trading/accounts/account-api.ts'
import { z } from 'zod'

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
const issuedAt = z
  .union([z.literal('').transform(() => undefined), z.iso.date(), z.iso.datetime({ offset: true })], { error: INVALID })
  .optional()

const certificateFields = { name: requiredText(LONGEST_TEXT, 'Certificate name is required'), issuedAt }

/** POST /api/admin/certificates: the text fields beside the file. */
export const CertificateUpload = namedRequest('CertificateUpload', {
  ...certificateFields,
  userId: requiredText(LONGEST_TEXT),
  accountId: described("The account's id; by default the user's current account", text(LONGEST_TEXT).optional()),
})

/** The upload form: the same fields with the file, checked before it is sent. */
export const CertificateForm = request({
  accountId: text(LONGEST_TEXT).optional(),
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
export const CertificateRevocation = namedRequest('CertificateRevocation', {
  reason: trimmedText(LONGEST_TEXT).optional(),
})

export const Certificate = namedObject('Certificate', {
  id: z.string(),
  userId: z.string(),
  accountId: z.string(),
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

/** A certificate at a moment. */
export const AuditCertificate = namedObject('AuditCertificate', {
  id: z.string(),
  name: z.string(),
  issuedAt: z.string(),
  uploadedAt: z.iso.datetime(),
  /** Null while it is valid. */
  revokedAt: z.iso.datetime().nullable(),
  /** Its public link; null while it is not shared. */
  link: z.enum(['with name', 'without name']).nullable(),
})

const sharePath = z.object({ code: described('The code of the link', z.string()) })
const sharedNotFound: Answer = {
  description: 'There is no shared certificate here; a page for people, the same for every such link',
  files: ['text/html'],
}
const throttledPage = {
  429: { description: 'Too many reads from this network; a page for people', files: ['text/html'] },
}

/** A certificate whose file is not what was issued. It is not served. */
export const DamagedFile = namedObject('DamagedFile', {
  certificateId: z.string(),
  /** Its key in the file store. */
  file: z.string(),
  damage: z.enum(['altered', 'missing']),
  /** When someone last tried to download it. */
  at: z.iso.datetime(),
})
export type DamagedFile = z.infer<typeof DamagedFile>

/** The calls about certificates. */
export const certificateRoutes = {
  ownCertificates: get('/api/user/certificates', 'trader', {
    summary: "The trader's own certificates: of one account, or of all",
    query: AccountFilter,
    position: 'waits',
    answer: answer('The certificates', z.array(Certificate)),
    refuses: notFound,
  }),
  shareCertificate: post('/api/user/certificates/:id/share', 'trader', {
    summary:
      'Share a certificate under a public link, or change whether its page shows the name; the link stays the same',
    params: certificatePath,
    body: CertificateSharing,
    answer: answer('The link', CertificateShare),
    refuses: { ...conflict, ...throttled },
  }),
  endCertificateSharing: del('/api/user/certificates/:id/share', 'trader', {
    summary: 'End the public link of a certificate for good; nothing happens where there is none',
    params: certificatePath,
    refuses: throttled,
  }),
  certificateFile: get('/api/certificates/:id/file', 'trader-or-any-admin', {
    summary: "A certificate's PDF",
    params: certificatePath,
    position: 'waits',
    answer: file(CERTIFICATE_TYPE),
  }),
  userCertificates: get('/api/admin/user/:id/certificates', 'read', {
    summary: "A user's certificates, newest first; links that the trader shares are left out",
    params: userPath,
    position: 'waits',
    answer: answer('The certificates', z.array(Certificate)),
  }),
  revokeCertificate: post('/api/admin/certificates/:id/revoke', 'issue-certificates', {
    summary: 'Declare a certificate invalid, for good; its trader gets a mail, and a shared page says so',
    params: certificatePath,
    body: CertificateRevocation,
    refuses: conflict,
  }),
  issueCertificate: post('/api/admin/certificates', 'issue-certificates', {
    summary: 'Issue a certificate to a user',
    body: CertificateUpload,
    upload: { field: CERTIFICATE_FIELD, type: CERTIFICATE_TYPE, largest: LARGEST_CERTIFICATE },
    answer: answer('The certificate', Certificate),
    status: 201,
    refuses: { ...notFound, ...conflict },
  }),
  sharedCertificate: get('/c/:code', 'public', {
    summary: 'The page of a shared certificate: what was issued, when, by whom, and whether it is still valid',
    params: sharePath,
    position: 'waits',
    responses: { 200: file('text/html'), 404: sharedNotFound, ...throttledPage, ...anyCall },
  }),
  sharedReceipt: get('/c/:code/receipt', 'public', {
    summary: 'A receipt for the issue of a shared certificate: a C2SP tlog-proof, to be checked offline',
    params: sharePath,
    position: 'waits',
    responses: { 200: file(TEXT_TYPE), 404: sharedNotFound, ...throttledPage, ...anyCall },
  }),
}
