import { accountPath } from '#services/framework/mails/mail-context.ts'
import { FIRM, type MailContent, oneLine } from '#services/framework/mails/mail-layout.ts'
import type { Mails } from '#services/framework/module.ts'
import type { certificateDescriptions } from '#services/trading/stream/certificate-descriptions.ts'

import type { CertificateEvent } from '#services/trading/stream/certificate.ts'

/** The mails about certificates. */
export const certificateMails: Mails<CertificateEvent, typeof certificateDescriptions> = {
  CertificateIssued: (event, { page }) => certificateIssued(event.data.name, page(accountPath('/certificates', event))),
  CertificateRevoked: (event, { page }) =>
    certificateRevoked(event.data.reason, page(accountPath('/certificates', event))),
}

export function certificateIssued(certificateName: string, link: string): MailContent {
  return {
    subject: `Certificate issued: ${certificateName}`,
    body: [
      'A certificate was issued to you. You can download it from your certificates.',
      { details: [['Certificate Name', oneLine(certificateName)]] },
      { action: 'See your certificates', link },
    ],
    footer: `You're receiving this email because an administrator issued a certificate to your ${FIRM} account.`,
  }
}

function certificateRevoked(reason: string | null, link: string): MailContent {
  return {
    subject: 'Certificate revoked',
    body: [
      'A certificate that was issued to you was revoked: it is no longer valid. If you shared it, its page says so.',
      ...(reason === null ? [] : [{ details: [['Reason', oneLine(reason)] as const] }]),
      { action: 'See your certificates', link },
    ],
    footer: `You're receiving this email because an administrator revoked a certificate of your ${FIRM} account.`,
  }
}
