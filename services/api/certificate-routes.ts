import { z } from 'zod'
import * as certificates from '#services/modules/certificates/certificate-api.ts'
import { described } from './openapi-component.ts'
import { answer, anyCall, certificatePath, conflict, del, file, get, notFound, post, TEXT_TYPE, throttled, type Answer, userPath } from './route.ts'

const sharePath = z.object({ code: described('The code of the link', z.string()) })
const sharedNotFound: Answer = { description: 'There is no shared certificate here; a page for people, the same for every such link', files: ['text/html'] }
const throttledPage = { 429: { description: 'Too many reads from this network; a page for people', files: ['text/html'] } }

/** The calls about certificates. */
export const certificateRoutes = {
  ownCertificates: get('/api/user/certificates', 'trader', {
    summary: "The trader's own certificates",
    position: 'waits',
    answer: answer('The certificates', z.array(certificates.Certificate)),
  }),
  shareCertificate: post('/api/user/certificates/:id/share', 'trader', {
    summary: 'Share a certificate under a public link, or change whether its page shows the name; the link stays the same',
    params: certificatePath,
    body: certificates.CertificateSharing,
    answer: answer('The link', certificates.CertificateShare),
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
    answer: file(certificates.CERTIFICATE_TYPE),
  }),
  userCertificates: get('/api/admin/user/:id/certificates', 'read', {
    summary: "A user's certificates, newest first; links that the trader shares are left out",
    params: userPath,
    position: 'waits',
    answer: answer('The certificates', z.array(certificates.Certificate)),
  }),
  revokeCertificate: post('/api/admin/certificates/:id/revoke', 'issue-certificates', {
    summary: 'Declare a certificate invalid, for good; its trader gets a mail, and a shared page says so',
    params: certificatePath,
    body: certificates.CertificateRevocation,
    refuses: conflict,
  }),
  issueCertificate: post('/api/admin/certificates', 'issue-certificates', {
    summary: 'Issue a certificate to a user',
    body: certificates.CertificateUpload,
    upload: { field: certificates.CERTIFICATE_FIELD, type: certificates.CERTIFICATE_TYPE, largest: certificates.LARGEST_CERTIFICATE },
    answer: answer('The certificate', certificates.Certificate),
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
