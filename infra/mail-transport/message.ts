import type { SendMailOptions } from 'nodemailer'
import { PermanentMailFailure } from '../outbox/outbox.ts'
import type { Mail, MailAddress } from './mail-transport.ts'

/**
 * A mail as nodemailer takes it, the same for every transport.
 *
 * @throws {PermanentMailFailure} when it has no address to go to, as that of an erased person.
 */
export function toMessage(mail: Mail, from: MailAddress): SendMailOptions {
  if (!ADDRESS.test(mail.to.address)) throw new PermanentMailFailure('There is no address to send to')
  return {
    from: { ...from },
    to: { name: oneLine(mail.to.name), address: mail.to.address },
    subject: oneLine(mail.subject),
    text: mail.text,
    html: mail.html,
    messageId: `<${mail.id}@${domainOf(from.address)}>`,
    // Says that no person wrote this, so that nobody's holiday notice answers it (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    xMailer: false,
    // A mail holds what it is given and nothing that a path or address in it would name.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** One address and not two. What else an address may be is decided where it is taken in. */
const ADDRESS = /^[^\s@<>(),;:"]+@[^\s@<>(),;:"]+$/

const oneLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ').trim()
const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1)
