import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { inspect } from 'node:util'
import type { SMTPServerOptions } from 'smtp-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Unavailable } from '#infra/failures.ts'
import { PermanentMailFailure } from '#infra/outbox/outbox.ts'
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
  /** Refuses recipients with the code that is the name of their mailbox. */
  const refusing: SMTPServerOptions = {
    onRcptTo({ address }, _, callback) {
      const responseCode = Number(address.split('@')[0])
      callback(responseCode > 0 ? Object.assign(new Error(`<${address}>: refused`), { responseCode }) : null)
    },
  }
  const to = (mailbox: string | number) => mail({ to: { name: 'Jo', address: `${mailbox}@mail.example` } })

  it.each([550, 551, 553, 554])(
    'fails permanently on a refused recipient (%i) without naming the person',
    async (code) => {
      const transport = open((await useMailServer(refusing)).url)
      const failure = await transport.send(to(code)).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(PermanentMailFailure)
      expect(String(failure)).toContain(String(code))
      expect(String(failure)).not.toContain('mail.example')
    },
  )

  it.each([421, 450, 451, 452])('reports a temporary refusal (%i) as unavailable', async (code) => {
    const server = await useMailServer(refusing)
    const transport = open(server.url)
    const failure = await transport.send(to(code)).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Unavailable)
    expect(inspect(failure)).toContain(String(code))
    expect(inspect(failure)).not.toContain('mail.example')
    await transport.send(to('jo'))
    expect(server.delivered).toHaveLength(1)
  })

  it.each([
    [552, PermanentMailFailure],
    [451, Unavailable],
  ])('reports a refusal (%i) of the mail itself', async (responseCode, failure) => {
    const transport = open(
      (
        await useMailServer({
          onData(stream, _, callback) {
            stream.resume()
            stream.on('end', () => callback(Object.assign(new Error('refused'), { responseCode })))
          },
        })
      ).url,
    )
    await expect(transport.send(mail())).rejects.toThrow(failure)
  })

  it('reports a refused sender as unavailable: an operator can fix it', async () => {
    const { url } = await useMailServer({
      onMailFrom: (_, __, callback) => callback(Object.assign(new Error('no'), { responseCode: 550 })),
    })
    await expect(open(url).send(mail())).rejects.toThrow(Unavailable)
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
    await expect(wrong.send(mail())).rejects.toThrow(Unavailable)
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
