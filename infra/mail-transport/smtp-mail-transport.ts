import { createTransport } from 'nodemailer'
import { PermanentMailFailure } from '#infra/outbox/outbox.ts'
import { MOST_AT_ONCE } from '#infra/outbox/sending-gate.ts'
import type { MailAddress, MailTransport } from './mail-transport.ts'
import { toMessage } from './message.ts'
import type { SmtpServer } from './smtp-address.ts'
import { isRefusedLogin, toMailFailure } from './smtp-failure.ts'

/** The most mails over one connection. */
const MAILS_A_CONNECTION = 100

/** Time-outs for the mail server, in ms. */
export interface SmtpTimeouts {
  readonly toConnect: number
  readonly toAnswer: number
  /** How long a refused login is not tried again: each mail would, and servers ban who tries often. */
  readonly afterRefusedLogin: number
}
const TIMEOUTS: SmtpTimeouts = { toConnect: 10_000, toAnswer: 30_000, afterRefusedLogin: 60_000 }

/**
 * Hands mails to a mail server.
 *
 * Only a refused address is a {@link PermanentMailFailure}. Everything else is retried: what an operator can fix, such
 * as a wrong password or sender, and what passes, such as an outage or a full mailbox.
 */
export function createSmtpTransport(
  { host, port, user, password, encryption, name }: SmtpServer,
  from: MailAddress,
  given: Partial<SmtpTimeouts> = {},
): MailTransport {
  const timeouts = { ...TIMEOUTS, ...given }
  const transporter = createTransport({
    pool: true,
    // The outbox says how many mails are under way.
    maxConnections: MOST_AT_ONCE,
    maxMessages: MAILS_A_CONNECTION,
    // The outbox tries again: the pool would begin a hanging mail anew on each connection that it used before.
    maxRequeues: 0,
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
  let refusedLogin: { readonly failure: Error; readonly at: number } | undefined

  /** Asks the server, unless it has just refused the login. */
  const ask = async (work: () => Promise<unknown>): Promise<void> => {
    if (refusedLogin && performance.now() - refusedLogin.at < timeouts.afterRefusedLogin) throw refusedLogin.failure
    try {
      await work()
      refusedLogin = undefined
    } catch (error) {
      const failure = toMailFailure(error)
      if (isRefusedLogin(error)) refusedLogin = { failure, at: performance.now() }
      throw failure
    }
  }

  return {
    async send(mail) {
      if (forgotten.has(mail.recipientId)) throw new PermanentMailFailure('The recipient was erased')
      const message = toMessage(mail, from)
      await ask(() => transporter.sendMail(message))
    },

    async forget(recipientId) {
      forgotten.add(recipientId)
    },

    async ready() {
      await ask(() => transporter.verify())
    },

    async close() {
      transporter.close()
    },
  }
}
