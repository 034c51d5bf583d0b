import PostalMime from 'postal-mime'
import { expect, it, onTestFinished } from 'vitest'
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
