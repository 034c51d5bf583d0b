import type { SendMailOptions } from 'nodemailer'
import { PermanentMailFailure } from '#infra/outbox/outbox.ts'
import type { Mail, MailAddress } from './mail-transport.ts'

/**
 * A mail for nodemailer, the same for every transport.
 *
 * @throws {PermanentMailFailure} when it has no valid address, for example because the person was erased.
 */
export function toMessage(mail: Mail, standing: MailAddress): SendMailOptions {
  const from = mail.from ?? standing
  if (!ADDRESS.test(mail.to.address)) throw new PermanentMailFailure('There is no address to send to')
  return {
    from: { name: oneLine(from.name), address: from.address },
    to: { name: oneLine(mail.to.name), address: mail.to.address },
    subject: oneLine(mail.subject),
    text: mail.text,
    html: mail.html,
    messageId: `<${mail.id}@${domainOf(from.address)}>`,
    // Marks the mail as automatic, so that holiday notices do not answer it (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    xMailer: false,
    // Never read a file or URL that a text may name.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Exactly one address. Stricter rules apply where addresses are entered. */
const ADDRESS = /^[^\s@<>(),;:"]+@[^\s@<>(),;:"]+$/

const oneLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ').trim()
const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1)
