import PostalMime from 'postal-mime'
import { expect, it, onTestFinished } from 'vitest'
import { useMailServer } from '#test-support/servers/mail-server.ts'
import { openPortal } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'

it('With SMTP_URL mails go to the mail server, also those requested while it was away', async () => {
  const server = await useMailServer()
  const portal = await openPortal({ environment: { SMTP_URL: server.url.href, MAIL_FROM: 'desk@firm.example' } })
  onTestFinished(() => portal.stop())
  const arrived = async () => Promise.all(server.delivered.map((bytes) => PostalMime.parse(bytes)))
  const [first, second] = [await portal.trader(), await portal.trader()]

  expect((await portal.browser().post('/api/forgot-password', { email: first.email })).status).toBe(200)
  await until(async () => server.delivered.length === 1, 'the first mail')
  await server.disconnect()
  expect((await portal.browser().post('/api/forgot-password', { email: second.email })).status).toBe(200)
  await server.reconnect()
  await until(async () => server.delivered.length === 2, 'the mail that found nobody', 60_000)

  const mails = await arrived()
  expect(mails.map(({ from, to }) => [from?.address, to?.map(({ address }) => address)])).toEqual([
    ['desk@firm.example', [first.email]],
    ['desk@firm.example', [second.email]],
  ])
})
