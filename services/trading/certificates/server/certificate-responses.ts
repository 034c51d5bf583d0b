import type { PersonKey } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { personalFields } from '#services/event-sourcing/read-models/personal-fields.ts'
import { isoTime } from '#services/framework/event-description.ts'
import { z } from 'zod'
import type { Certificate } from '../certificate-api.ts'
import type { CertificateDocument } from '../certificate-read-model.ts'
import { type Certificate as IssuedCertificate, certificateEvents } from '#services/trading/stream/certificate.ts'
import { accountOf, certificateId, ownerOf } from '#services/framework/ids.ts'

/** Certificates in answers. Documents are mapped field by field, so that no other field can leak. */

const certificateIssue = z.object({ name: z.string() })

export function certificateName({ name }: Pick<CertificateDocument, 'name'>, key: PersonKey | undefined): string {
  return certificateIssue.parse(personalFields(certificateEvents.CertificateIssued, name, key)).name
}

/** The fields of a certificate in every answer. */
export function certificateFields(
  {
    id,
    name,
    issuedAt,
    uploadedAt,
    revokedAt,
  }: Omit<IssuedCertificate, 'file' | 'size' | 'sha256' | 'revision' | 'share'>,
  share: Certificate['share'],
): Certificate {
  const accountId = accountOf(id)
  return {
    ...{ id, userId: ownerOf(accountId), accountId, name, fileUrl: `/api/certificates/${id}/file`, issuedAt },
    uploadedAt: isoTime(uploadedAt),
    revokedAt: revokedAt === null ? null : isoTime(revokedAt),
    share,
  }
}

export function certificateResponse(certificate: CertificateDocument, key: PersonKey | undefined): Certificate {
  const { share } = certificate
  return certificateFields(
    { ...certificate, id: certificateId.parse(certificate.id), name: certificateName(certificate, key) },
    // The code reads 'erased' for a moment, while its person is being deleted.
    share && key !== 'destroyed' ? { path: `/c/${shareCode(share, key)}`, showsName: share.showsName } : null,
  )
}

const sharing = z.object({ code: z.string() })

function shareCode({ code }: NonNullable<CertificateDocument['share']>, key: PersonKey | undefined): string {
  return sharing.parse(personalFields(certificateEvents.CertificateShared, code, key)).code
}
