import { z } from 'zod'
import { PermanentMailFailure, TemporaryMailFailure } from '#infra/outbox/outbox.ts'

/** nodemailer's error: the step, the server's answer to it, or what happened to the connection. */
const smtpError = z.object({
  /** 'RCPT TO', 'AUTH PLAIN', …; 'CONN' for the connection. */
  command: z
    .string()
    .regex(/^[A-Z0-9 -]{1,30}$/)
    .catch(''),
  responseCode: z.int().min(200).max(599).optional().catch(undefined),
  response: z.string().catch(''),
  code: z.string().catch(''),
  originalCode: z.string().catch(''),
})

/**
 * Enhanced codes (RFC 3463, 7505) that say that the address itself is wrong: no mailbox, no such domain, bad syntax,
 * moved, a domain that takes no mail.
 */
const WRONG_ADDRESS: Readonly<Record<string, string>> = {
  '5.1.1': 'there is no such mailbox',
  '5.1.2': 'there is no such domain',
  '5.1.3': 'the address is not valid',
  '5.1.6': 'the mailbox has moved',
  '5.1.10': 'the domain takes no mail',
}

/** The meaning of other answers, by the enhanced code without its class (RFC 3463, 7372, 4954), as large providers use it. */
const MEANINGS: Readonly<Record<string, string>> = {
  '1.7': 'it does not accept the sender (MAIL_FROM)',
  '1.8': 'it does not accept the sender (MAIL_FROM)',
  '2.1': 'the mailbox is switched off',
  '2.2': 'the mailbox is full',
  '2.3': 'the mail is too long for the mailbox',
  '3.1': 'its disk is full',
  '3.2': 'it takes too many connections or mails at the moment',
  '4.5': 'the quota of mails is used up',
  '5.1': 'it expects another command, often a sign-in first',
  '7.0': 'a rule of the server or the sender forbids it',
  '7.1': 'the sender or relaying is not allowed',
  '7.8': 'it does not accept name and password of SMTP_URL',
  '7.20': 'no valid DKIM signature of the sender domain',
  '7.23': 'SPF of the sender domain does not allow this server',
  '7.25': 'the sending address has no reverse name',
  '7.26': 'SPF, DKIM or DMARC of the sender domain failed',
  '7.57': 'it asks for a sign-in: SMTP_URL needs name and password',
  '7.60': 'this login may not send as MAIL_FROM',
}

/** The meaning of an answer by its step, where no enhanced code says more. */
function meaningOf(step: string, code: number): string {
  if (code === 421) return 'it ends the connection: it is busy, or limits them'
  if (code === 530) return 'it asks for a sign-in or for encryption first'
  if (step === 'AUTH') return 'it does not accept name and password of SMTP_URL'
  if (step === 'MAIL FROM') return 'it does not accept the sender (MAIL_FROM)'
  if (code < 500) return 'it does not take this mail now'
  return 'it refuses this mail; sender, relaying or a rule of the server may be why'
}

/** The troubles of a connection. */
const CONNECTION: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers at the address of SMTP_URL',
  ENOTFOUND: 'the host of SMTP_URL is not known',
  EDNS: 'the host of SMTP_URL is not known',
  EAI_AGAIN: 'the host of SMTP_URL could not be looked up',
  ETIMEDOUT: 'no answer in time',
  ECONNECTION: 'the connection was closed',
  ECONNRESET: 'the connection was closed',
  ETLS: 'no encrypted connection could be made',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  ENOAUTH: 'SMTP_URL has no name and password',
}

const ENHANCED = /^[245]\d\d[ -]([245]\.\d{1,3}\.\d{1,3})(?=\s|$)/

/** Whether the server did not accept name and password. */
export function isRefusedLogin(error: unknown): boolean {
  const { data } = smtpError.safeParse(error)
  return data !== undefined && data.command.startsWith('AUTH') && (data.responseCode ?? 0) >= 500
}

/**
 * Why a mail could not be handed over, in codes and words of ours: the server's own often repeat the address, and this is
 * kept after the person is erased.
 *
 * Only a refused address is final, and only where an enhanced code says so. A bare 550 waits: RFC 5321 §4.2.3 gives it to
 * unknown mailboxes and to rules of the server alike, and a wait costs little where a lost link costs a person's access.
 */
export function toMailFailure(error: unknown): PermanentMailFailure | TemporaryMailFailure {
  const { data } = smtpError.safeParse(error)
  if (!data) return new TemporaryMailFailure('It failed before the server was asked')
  const { command, responseCode, response, code, originalCode } = data
  const step = command.startsWith('AUTH') ? 'AUTH' : command
  if (responseCode === undefined) {
    const cause = [originalCode, code].find((known) => Object.hasOwn(CONNECTION, known))
    const shown = cause ?? (/^[A-Z_]{2,50}$/.test(originalCode || code) ? originalCode || code : 'unknown')
    return new TemporaryMailFailure(`Connection: ${shown}, ${CONNECTION[shown] ?? 'it broke'}`)
  }
  const [, enhanced] = ENHANCED.exec(response) ?? []
  const answered = `${step === '' || step === 'CONN' ? 'Connection' : step}: ${[responseCode, enhanced].filter(Boolean).join(' ')}`
  const wrong = enhanced === undefined ? undefined : WRONG_ADDRESS[enhanced]
  if (wrong !== undefined && responseCode >= 500 && (step === 'RCPT TO' || step === 'DATA'))
    return new PermanentMailFailure(`${answered}, ${wrong}`)
  const meaning = MEANINGS[enhanced?.slice(2) ?? ''] ?? meaningOf(step, responseCode)
  return new TemporaryMailFailure(`${answered}, ${meaning}`)
}
