import PostalMime from 'postal-mime'
import { describe, expect, it, onTestFinished } from 'vitest'
import { reasonsOf } from '#services/cli/mail-cli.ts'
import { System } from '#services/operations/installation/installation-api.ts'
import { useMailServer } from '#test-support/servers/mail-server.ts'
import { openPortal } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'

const RESET_SUBJECT = 'Reset your Proofdesk password'

it('With SMTP_URL mails go to the mail server, also those requested while it was away', async () => {
  const server = await useMailServer()
  const portal = await openPortal({ environment: { SMTP_URL: server.url.href, MAIL_FROM: 'desk@firm.example' } })
  onTestFinished(() => portal.stop())
  // Signing up sends a mail too: only those about passwords count.
  const resetMails = async () =>
    (await Promise.all(server.delivered.map((bytes) => PostalMime.parse(bytes)))).filter(
      ({ subject }) => subject === RESET_SUBJECT,
    )
  const [first, second] = [await portal.trader(), await portal.trader()]

  expect((await portal.browser().post('/api/forgot-password', { email: first.email })).status).toBe(200)
  await until(async () => (await resetMails()).length === 1, 'the first mail')
  await server.disconnect()
  expect((await portal.browser().post('/api/forgot-password', { email: second.email })).status).toBe(200)
  await server.reconnect()
  await until(async () => (await resetMails()).length === 2, 'the mail that found nobody')

  expect((await resetMails()).map(({ from, to }) => [from?.address, to?.map(({ address }) => address)])).toEqual([
    ['desk@firm.example', [first.email]],
    ['desk@firm.example', [second.email]],
  ])
})

describe('a mail server', () => {
  const openWith = async (url: URL) => {
    const portal = await openPortal({ environment: { SMTP_URL: url.href } })
    onTestFinished(() => portal.stop())
    return portal
  }

  it.each([
    ['a reset', 'hang-', RESET_SUBJECT],
    ['a confirmation', 'hang-data-', 'Confirm your email for Proofdesk'],
    ['a welcome', 'hang-', 'Your Proofdesk account'],
  ])('with twenty recipients that hang holds up no link: %s leaves within five seconds', async (_, hangs, wanted) => {
    const server = await useMailServer()
    const portal = await openWith(server.url)
    const [ada, admin] = [await portal.trader(), await portal.admin()]
    const create = async (email: string) =>
      expect((await admin.post('/api/admin/users', { fullName: 'Grace Hopper', email })).status).toBeLessThan(300)
    const links: Readonly<Record<string, () => Promise<unknown>>> = {
      [RESET_SUBJECT]: () => portal.browser().post('/api/forgot-password', { email: ada.email }),
      'Your Proofdesk account': () => create('grace@mail.example'),
    }
    for (let number = 0; number < 20; number += 1) await create(`${hangs}${number}@mail.example`)
    await until(async () => server.hanging() > 0, 'the first recipient to hang')

    const before = server.delivered.length
    const askedAt = Date.now()
    await (links[wanted] ?? portal.trader)()
    const arrived = async () => {
      const mails = await Promise.all(server.delivered.slice(before).map((bytes) => PostalMime.parse(bytes)))
      return mails.some(({ subject }) => subject === wanted)
    }
    await until(arrived, 'the link')
    expect(Date.now() - askedAt).toBeLessThanOrEqual(5_000)
    // A stop waits for the mails that are under way.
    await server.disconnect()
  })

  it.each([
    ['the password', 'AUTH: 535, it does not accept name and password of SMTP_URL'],
    ['the sender', 'MAIL FROM: 550, it does not accept the sender (MAIL_FROM)'],
    ['every recipient', 'RCPT TO: 554, it refuses this mail; sender, relaying or a rule of the server may be why'],
  ])('that refuses %s says why in the list and under System; the mail leaves once it is mended', async (what, why) => {
    let isMended = false
    const refuse = (code: number) =>
      isMended ? null : Object.assign(new Error('s3cret for <ada@example.com>'), { responseCode: code })
    const server = await useMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_, __, done) =>
        what === 'the password' && !isMended ? done(refuse(535)) : done(null, { user: 'desk' }),
      onMailFrom: (_, __, done) => done(what === 'the sender' ? refuse(550) : null),
      onRcptTo: (_, __, done) => done(what === 'every recipient' ? refuse(554) : null),
    })
    const portal = await openWith(new URL(`smtp://desk:s3cret@${server.url.host}`))
    await portal.trader()
    const admin = await portal.admin()
    const { outbox } = portal.running.parts
    await until(async () => (await outbox.retrying(10)).length > 0, 'a mail to wait')

    const { mail } = System.parse((await admin.get('/api/admin/system')).body)
    expect(mail).toMatchObject({ failed: 0, retrying: [{ kind: 'UserRegistered', error: why }] })
    expect(reasonsOf(await outbox.retrying(10))).toMatchObject([{ why, mails: 1 }])
    for (const kept of [mail, await outbox.retrying(10)]) expect(JSON.stringify(kept)).not.toMatch(/s3cret|@/)
    // A refused login is not repeated for a minute.
    if (what === 'the password') return
    isMended = true
    await until(async () => server.delivered.length > 0, 'the mail to leave')
    expect(await outbox.counts()).toMatchObject({ failed: 0 })
  })
})
