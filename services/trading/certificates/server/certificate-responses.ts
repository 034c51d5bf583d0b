import type { PersonKey } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { personalFields } from '#services/event-sourcing/read-models/personal-fields.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { z } from 'zod'
import type { Certificate } from '../certificate-api.ts'
import type { CertificateDocument } from '../certificate-read-model.ts'
import { certificateEvents } from '#services/trading/stream/certificate.ts'

/** Certificates in answers. Documents are mapped field by field, so that no other field can leak. */

const certificateIssue = z.object({ name: z.string() })

export function certificateName({ name }: Pick<CertificateDocument, 'name'>, key: PersonKey | undefined): string {
  return certificateIssue.parse(personalFields(certificateEvents.CertificateIssued, name, key)).name
}

export function certificateResponse(certificate: CertificateDocument, key: PersonKey | undefined): Certificate {
  const { id, userId, accountId, issuedAt, uploadedAt, revokedAt, share } = certificate
  const name = certificateName(certificate, key)
  return {
    id,
    userId,
    accountId,
    name,
    fileUrl: `/api/certificates/${id}/file`,
    issuedAt,
    uploadedAt: isoTime(uploadedAt),
    revokedAt: revokedAt === null ? null : isoTime(revokedAt),
    // The code reads 'erased' for a moment, while its person is being deleted.
    share: share && key !== 'destroyed' ? { path: `/c/${shareCode(share, key)}`, showsName: share.showsName } : null,
  }
}

const sharing = z.object({ code: z.string() })

function shareCode({ code }: NonNullable<CertificateDocument['share']>, key: PersonKey | undefined): string {
  return sharing.parse(personalFields(certificateEvents.CertificateShared, code, key)).code
}
