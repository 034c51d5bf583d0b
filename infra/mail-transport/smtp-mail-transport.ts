import { createTransport } from 'nodemailer'
import { z } from 'zod'
import { Unavailable } from '#infra/failures.ts'
import { PermanentMailFailure } from '#infra/outbox/outbox.ts'
import type { MailAddress, MailTransport } from './mail-transport.ts'
import { toMessage } from './message.ts'
import type { SmtpServer } from './smtp-address.ts'

/** Connections to the mail server, and the most mails over one of them. */
const CONNECTIONS = 3
const MAILS_A_CONNECTION = 100

/** Time-outs for the mail server, in ms. */
export interface SmtpTimeouts {
  readonly toConnect: number
  readonly toAnswer: number
}
const TIMEOUTS: SmtpTimeouts = { toConnect: 10_000, toAnswer: 30_000 }

/**
 * Hands mails to a mail server.
 *
 * A permanent refusal (an unknown mailbox) is a {@link PermanentMailFailure}. Everything else is retried: a full
 * mailbox, an outage, and a wrong password or sender, which an operator can fix.
 */
export function createSmtpTransport(
  { host, port, user, password, encryption, name }: SmtpServer,
  from: MailAddress,
  timeouts: SmtpTimeouts = TIMEOUTS,
): MailTransport {
  const transporter = createTransport({
    pool: true,
    maxConnections: CONNECTIONS,
    maxMessages: MAILS_A_CONNECTION,
    host,
    port,
    secure: encryption === 'implicit',
    requireTLS: encryption === 'required',
    ignoreTLS: encryption === 'never',
    ...(user !== '' && { auth: { user, pass: password } }),
    ...(name !== undefined && { name }),
    connectionTimeout: timeouts.toConnect,
    greetingTimeout: timeouts.toConnect,
    socketTimeout: timeouts.toAnswer,
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
        // Without the server's message, which often contains the address: this error is kept after the person is
        // erased.
        throw refused
          ? new PermanentMailFailure(`The mail server refused it for good (${refused.responseCode})`)
          : unavailable(error)
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

/** nodemailer's error when the recipient (RCPT TO) or the mail itself (DATA) was refused for good: RFC 5321 §4.2.1. */
const isPermanentRefusal = z.object({
  command: z.enum(['RCPT TO', 'DATA']),
  responseCode: z.number().min(500).max(599),
})

/** nodemailer's error with the response to any step. */
const hasResponse = z.object({ command: z.string().optional(), responseCode: z.number() })

/** Hides the server's messages from the log too. */
function unavailable(error: unknown): Unavailable {
  const { data } = hasResponse.safeParse(error)
  return new Unavailable('mail server', {
    cause: data ? new Error(`${data.command ?? 'A step'} was answered ${data.responseCode}`) : error,
  })
}
