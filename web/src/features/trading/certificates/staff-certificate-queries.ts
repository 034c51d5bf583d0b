import { type Certificate, certificateRoutes } from '#services/trading/certificates/certificate-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { send, upload } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { mailNote } from '@/features/frame/session-queries.ts'
import { staffChange } from '@/features/frame/staff-change.ts'
import type { UserName } from '@/features/frame/staff-change.ts'

/** Certificates, as staff issue and revoke them. */

/** A trader's certificates. */
export const userCertificatesQuery = (id: string) =>
  routeQuery(certificateRoutes.userCertificates, { params: { id }, subjects: ['certificates'] }, { staleTime: 0 })

interface CertificateToUpload {
  readonly userId: string
  readonly fullName: string
  /** Empty: the server takes the current account. */
  readonly accountId: string
  readonly name: string
  /** Empty: the server takes today. */
  readonly issuedAt: string
  readonly certificateFile: File
}

/** Uploads a certificate; `onProgress` gets the share that is sent, from 0 to 1. */
export const uploadCertificate = (onProgress: (share: number) => void) =>
  staffChange({
    send: ({ fullName: _, ...certificate }: CertificateToUpload) => {
      const form = new FormData()
      for (const [field, value] of Object.entries<string | File>({ ...certificate }))
        if (value !== '') form.append(field, value)
      return upload(certificateRoutes.issueCertificate, form, onProgress)
    },
    done: ({ userId, fullName, name }) => ['Certificate uploaded', `“${name}” of ${fullName}.`, userId],
    failed: () => 'Upload failed',
    fallback: (error) => (error instanceof ApiError ? 'Failed to upload certificate' : 'An unexpected error occurred'),
  })

interface Revocation extends Pick<Certificate, 'id' | 'name'> {
  readonly holder: UserName
  readonly reason: string
}

/** Declares a certificate invalid. */
export const revokeCertificate = staffChange({
  send: ({ id, reason }: Revocation) => send(certificateRoutes.revokeCertificate, { params: { id }, body: { reason } }),
  done: ({ name, holder }, _answer, client) => [
    'Certificate revoked',
    mailNote(client, `“${name}” of ${holder.fullName}, who gets a mail.`),
    holder.id,
  ],
  failed: () => 'Update failed',
})
