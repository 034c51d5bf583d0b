import { createTransport } from 'nodemailer'
import { z } from 'zod'
import { Unavailable } from '../failures.ts'
import { PermanentMailFailure } from '../outbox/outbox.ts'
import type { MailAddress, MailTransport } from './mail-transport.ts'
import { toMessage } from './message.ts'

/** Connections kept to the mail server, and how many mails one of them carries before it is made anew. */
const CONNECTIONS = 3
const MAILS_A_CONNECTION = 100

/** How long the mail server may take, in ms. */
export interface SmtpTimeouts {
  readonly toConnect: number
  readonly toAnswer: number
}
const TIMEOUTS: SmtpTimeouts = { toConnect: 10_000, toAnswer: 30_000 }

/**
 * Hands mails to a mail server. `smtp://` is encrypted where the server offers it, `smtps://` from the first byte on; name
 * and password stand in the address, percent-encoded.
 *
 * What the server refuses for good (a mailbox that is not there) is a {@link PermanentMailFailure}. Everything else is
 * worth trying again: a full mailbox, a server that is away, and a wrong password or sender, which an operator can mend.
 */
export function createSmtpTransport(server: URL, from: MailAddress, patience: SmtpTimeouts = TIMEOUTS): MailTransport {
  const secure = server.protocol === 'smtps:'
  const transporter = createTransport({
    pool: true,
    maxConnections: CONNECTIONS,
    maxMessages: MAILS_A_CONNECTION,
    host: server.hostname.replaceAll(/[[\]]/g, ''),
    port: server.port === '' ? (secure ? 465 : 587) : Number(server.port),
    secure,
    ...(server.username !== '' && { auth: { user: decodeURIComponent(server.username), pass: decodeURIComponent(server.password) } }),
    connectionTimeout: patience.toConnect,
    greetingTimeout: patience.toConnect,
    socketTimeout: patience.toAnswer,
  })
  /** Persons erased since the start: a mail to one of them may be waiting for a connection. */
  const forgotten = new Set<string>()

  return {
    async send(mail) {
      if (forgotten.has(mail.recipientId)) throw new PermanentMailFailure('The recipient was erased')
      const message = toMessage(mail, from)
      try {
        await transporter.sendMail(message)
      } catch (error) {
        const { data: refused } = isPermanentRefusal.safeParse(error)
        // Without the server's own words, which often name the address: this message outlives the person.
        throw refused ? new PermanentMailFailure(`The mail server refused it for good (${refused.responseCode})`) : unavailable(error)
      }
    },

    async forget(recipientId) {
      forgotten.add(recipientId)
    },

    async ready() {
      try {
        await transporter.verify()
      } catch (error) {
        throw unavailable(error)
      }
    },

    async close() {
      transporter.close()
    },
  }
}

/** How nodemailer tells that the recipient (RCPT TO) or the mail itself (DATA) was refused for good: RFC 5321 §4.2.1. */
const isPermanentRefusal = z.object({ command: z.enum(['RCPT TO', 'DATA']), responseCode: z.number().min(500).max(599) })

/** What any step was answered. */
const hasResponse = z.object({ command: z.string().optional(), responseCode: z.number() })

/** The server's own words stay out of the log, too. */
function unavailable(error: unknown): Unavailable {
  const { data } = hasResponse.safeParse(error)
  return new Unavailable('mail server', { cause: data ? new Error(`${data.command ?? 'A step'} was answered ${data.responseCode}`) : error })
}
