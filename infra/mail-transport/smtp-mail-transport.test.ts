import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Unavailable } from '#infra/failures.ts'
import { PermanentMailFailure, TemporaryMailFailure } from '#infra/outbox/outbox.ts'
import { isWanted } from '#test-support/servers/images.ts'
import { portOf } from '#test-support/servers/ports.ts'
import { from, mail, mailTransportConformance } from './mail-transport.conformance.ts'
import { useMailServer } from '#test-support/servers/mail-server.ts'
import { parseSmtpServer } from './smtp-address.ts'
import { createSmtpTransport } from './smtp-mail-transport.ts'

mailTransportConformance('mail server', async () => {
  const server = isWanted('mailpit')
    ? await (await import('#test-support/servers/mailpit.ts')).useMailpit()
    : await useMailServer()
  const { url, delivered, disconnect, reconnect } = server
  const allDelivered = async () => (typeof delivered === 'function' ? delivered() : delivered)
  return {
    open: () => createSmtpTransport(parseSmtpServer(url.href), from),
    delivered: allDelivered,
    disconnect,
    reconnect,
  }
})

describe('mail server, itself', () => {
  const open = (url: URL, timeouts?: Parameters<typeof createSmtpTransport>[2]) => {
    const transport = createSmtpTransport(parseSmtpServer(url.href), from, timeouts)
    onTestFinished(() => transport.close())
    return transport
  }
  const to = (mailbox: string) => mail({ to: { name: 'Jo', address: `${mailbox}@mail.example` } })
  /** Sends a mail to a mailbox, which answers as it is named. */
  const failureOf = async (mailbox: string) => {
    const transport = open((await useMailServer()).url)
    const failure: unknown = await transport.send(to(mailbox)).catch((error: unknown) => error)
    expect(inspect(failure)).not.toContain('mail.example')
    return failure
  }
  const reasonOf = (failure: unknown) => (failure instanceof TemporaryMailFailure ? failure.reason : `not: ${failure}`)

  it.each([
    ['rcpt-550-5.1.1', 'RCPT TO: 550 5.1.1, there is no such mailbox'],
    ['rcpt-553-5.1.3', 'RCPT TO: 553 5.1.3, the address is not valid'],
    ['rcpt-550-5.1.2', 'RCPT TO: 550 5.1.2, there is no such domain'],
    ['rcpt-551-5.1.6', 'RCPT TO: 551 5.1.6, the mailbox has moved'],
    ['rcpt-556-5.1.10', 'RCPT TO: 556 5.1.10, the domain takes no mail'],
    ['data-550-5.1.1', 'DATA: 550 5.1.1, there is no such mailbox'],
  ])('fails for good on a refused address (%s), without naming it', async (mailbox, reason) => {
    const failure = await failureOf(mailbox)
    expect(failure).toBeInstanceOf(PermanentMailFailure)
    expect(failure).toHaveProperty('message', reason)
  })

  it.each([
    // Gmail, Microsoft 365, Postfix and Exim refuse senders, relaying, quotas and rules so.
    ['rcpt-550', 'RCPT TO: 550, it refuses this mail; sender, relaying or a rule of the server may be why'],
    ['rcpt-554-5.7.1', 'RCPT TO: 554 5.7.1, the sender or relaying is not allowed'],
    ['rcpt-553', 'RCPT TO: 553, it refuses this mail; sender, relaying or a rule of the server may be why'],
    ['rcpt-550-5.4.5', 'RCPT TO: 550 5.4.5, the quota of mails is used up'],
    ['data-550-5.4.5', 'DATA: 550 5.4.5, the quota of mails is used up'],
    ['data-550-5.7.26', 'DATA: 550 5.7.26, SPF, DKIM or DMARC of the sender domain failed'],
    ['data-550-5.7.60', 'DATA: 550 5.7.60, this login may not send as MAIL_FROM'],
    ['rcpt-552-5.2.2', 'RCPT TO: 552 5.2.2, the mailbox is full'],
    ['data-552-5.2.2', 'DATA: 552 5.2.2, the mailbox is full'],
    ['data-554', 'DATA: 554, it refuses this mail; sender, relaying or a rule of the server may be why'],
    ['rcpt-530-5.7.0', 'RCPT TO: 530 5.7.0, a rule of the server or the sender forbids it'],
    ['rcpt-530', 'RCPT TO: 530, it asks for a sign-in or for encryption first'],
    ['rcpt-450-4.1.1', 'RCPT TO: 450 4.1.1, it does not take this mail now'],
    ['rcpt-421', 'Connection: 421, it ends the connection: it is busy, or limits them'],
    ['rcpt-550-5.1.10.9', 'RCPT TO: 550, it refuses this mail; sender, relaying or a rule of the server may be why'],
  ])('waits on %s, and says why in words of its own', async (mailbox, reason) => {
    expect(reasonOf(await failureOf(mailbox))).toBe(reason)
  })

  it('sends other mails after a refusal', async () => {
    const server = await useMailServer()
    const transport = open(server.url)
    await expect(transport.send(to('rcpt-451'))).rejects.toThrow(Unavailable)
    await transport.send(to('jo'))
    expect(server.delivered).toHaveLength(1)
  })

  it('reports a refused sender as unavailable: an operator can fix it', async () => {
    const { url } = await useMailServer({
      onMailFrom: (_, __, callback) => callback(Object.assign(new Error('no'), { responseCode: 550 })),
    })
    const failure: unknown = await open(url)
      .send(mail())
      .catch((error: unknown) => error)
    expect(reasonOf(failure)).toBe('MAIL FROM: 550, it does not accept the sender (MAIL_FROM)')
  })

  it('signs in with the credentials of the address; wrong ones make it unavailable', async () => {
    const server = await useMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth({ username, password }, _, callback) {
        if (username === 'port@l' && password === 'p:/ss') callback(null, { user: username })
        else callback(new Error('Wrong name or password'))
      },
    })
    const withLogin = (name: string, password: string) =>
      new URL(`smtp://${encodeURIComponent(name)}:${encodeURIComponent(password)}@${server.url.host}`)
    const transport = open(withLogin('port@l', 'p:/ss'))
    await transport.ready()
    await transport.send(mail())
    expect(server.delivered).toHaveLength(1)
    const wrong = open(withLogin('port@l', 'else'))
    await expect(wrong.ready()).rejects.toThrow(Unavailable)
    const failure: unknown = await wrong.send(mail()).catch((error: unknown) => error)
    expect(reasonOf(failure)).toBe('AUTH: 535, it does not accept name and password of SMTP_URL')
    expect(inspect(failure)).not.toContain('else')
  })

  it('does not repeat a refused login for each mail, and tries again later', async () => {
    let logins = 0
    const server = await useMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth(_, __, callback) {
        logins += 1
        if (logins === 1) callback(new Error('Wrong name or password'))
        else callback(null, { user: 'desk' })
      },
    })
    const url = new URL(`smtp://desk:secret@${server.url.host}`)
    const patient = open(url)
    for (let mails = 0; mails < 20; mails += 1) await expect(patient.send(mail())).rejects.toThrow(Unavailable)
    await expect(patient.ready()).rejects.toThrow(Unavailable)
    expect(logins).toBe(1)
    const hasty = open(url, { afterRefusedLogin: 0 })
    await hasty.send(mail())
    expect(server.delivered).toHaveLength(1)
  })

  it('says that nobody answers, and that a certificate is not trusted', async () => {
    const [away, untrusted] = [await useMailServer(), await useMailServer({ secure: true })]
    await away.disconnect()
    const failures = [away.url, new URL(`smtps://${untrusted.url.host}`)].map((url) =>
      open(url)
        .send(mail())
        .catch((error: unknown) => reasonOf(error)),
    )
    expect(await Promise.all(failures)).toEqual([
      'Connection: ECONNREFUSED, nothing answers at the address of SMTP_URL',
      expect.stringMatching(/^Connection: \w+, its certificate (is not trusted|has expired)$/),
    ])
  })

  it('sends consecutive mails over one connection', async () => {
    const server = await useMailServer()
    const transport = open(server.url)
    for (let n = 0; n < 10; n++) await transport.send(mail())
    expect(server.delivered).toHaveLength(10)
    expect(server.connections()).toBe(1)
  })

  it('stops waiting for a silent server', async () => {
    const silent: Server = createServer()
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => void silent.close())
    const transport = open(new URL(`smtp://127.0.0.1:${portOf(silent)}`), { toConnect: 100, toAnswer: 100 })
    await expect(transport.send(mail())).rejects.toThrow(Unavailable)
    await expect(transport.ready()).rejects.toThrow(Unavailable)
  })

  it('refuses an untrusted certificate', async () => {
    const server = await useMailServer({ secure: true })
    const transport = open(new URL(`smtps://${server.url.host}`), { toConnect: 5_000, toAnswer: 5_000 })
    await expect(transport.send(mail())).rejects.toThrow(Unavailable)
    expect(server.delivered).toEqual([])
  })

  it('sends nothing in clear where the address asks for encryption and the server has none', async () => {
    const received: string[] = []
    const server = await useMailServer({
      allowInsecureAuth: true,
      onAuth({ username, password }, _, callback) {
        received.push(`${username}:${password}`)
        callback(null, { user: username })
      },
    })
    const transport = open(new URL(`smtp://jo:secret@${server.url.host}/?requireTLS=true`))
    await expect(transport.send(mail())).rejects.toThrow(Unavailable)
    await expect(transport.ready()).rejects.toThrow(Unavailable)
    expect([received, server.delivered]).toEqual([[], []])
  })

  it.each([
    ['', /^\S+$/],
    ['?name=portal.example', /^portal\.example$/],
    ['?name=[127.0.0.9]', /^\[127\.0\.0\.9\]$/],
  ])('greets as the address says: %s', async (query, name) => {
    const greetings: string[] = []
    const server = await useMailServer({
      onMailFrom(_, { hostNameAppearsAs }, callback) {
        greetings.push(hostNameAppearsAs)
        callback()
      },
    })
    await open(new URL(`smtp://${server.url.host}/${query}`)).send(mail())
    expect(greetings).toEqual([expect.stringMatching(name)])
  })

  it('sends nothing to an erased person', async () => {
    const server = await useMailServer()
    const transport = open(server.url)
    await transport.forget('u1')
    await expect(transport.send(mail({ recipientId: 'u1' }))).rejects.toThrow(PermanentMailFailure)
    expect(server.delivered).toEqual([])
  })
})
