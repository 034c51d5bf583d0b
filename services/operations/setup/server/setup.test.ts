import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { MailTestAnswer, Setup } from '../setup-api.ts'

const PATH = '/api/admin/setup'
let portal: Portal
let admin: Browser
beforeAll(async () => {
  portal = await openPortal({ environment: { SMTP_URL: '' } })
  admin = await portal.admin()
})
afterAll(() => portal.stop())

const steps = async () => {
  const { steps: all } = read(Setup, await admin.get(PATH, await portal.atEnd()))
  return Object.fromEntries(all.map(({ id, done }) => [id, done]))
}

describe('the checklist', () => {
  it('follows what is true', async () => {
    expect(await steps()).toEqual({
      ...{ name: false, mail: false, offers: false, account: false },
      ...{ backup: false, seals: false, staff: false, trader: false },
    })
    await admin.patch('/api/admin/system/firm', { name: 'Northgate' })
    await admin.patch('/api/admin/system/firm-account', {
      name: 'Northgate',
      iban: 'NL91ABNA0417164300',
      bic: 'ABNANL2A',
    })
    await portal.member('support')
    expect(await steps()).toMatchObject({ name: true, account: true, staff: true, mail: false })
  })

  it('is dismissed for the firm, by those who set the portal up', async () => {
    const support = await portal.member('support')
    expect((await support.get(PATH)).status).toBe(200)
    expect((await support.post(`${PATH}/dismiss`)).status).toBe(403)
    expect((await support.post(`${PATH}/test-mail`, { address: 'jo@mail.example' })).status).toBe(403)
    expect((await admin.post(`${PATH}/dismiss`)).status).toBe(200)
    expect((await admin.post(`${PATH}/dismiss`)).status).toBe(200)
    expect(read(Setup, await admin.get(PATH)).dismissed).toBe(true)
    const [event, ...others] = (await portal.events('setup-this')).filter(({ type }) => type === 'SetupDismissed')
    expect([event?.metadata.actor.kind, others]).toEqual(['admin', []])
  })
})

describe('a test mail', () => {
  it('says that nobody gets it without a mail server, and keeps no address', async () => {
    const tested = await admin.post(`${PATH}/test-mail`, { address: 'jo@mail.example' })
    const { outcome, says } = read(MailTestAnswer, tested)
    expect(outcome).toBe('file')
    expect(says).toContain(`written into a file in ${portal.dataDir}`)
    const mail = await portal.mailWith('jo@mail.example', ({ subject }) => subject === 'Test mail of Northgate')
    expect(mail.text).toContain('a member of staff asked for')
    const events = await portal.events('setup-this')
    expect(events.at(-1)).toMatchObject({ type: 'MailTested', data: { outcome: 'file' } })
    expect(JSON.stringify(events)).not.toContain('jo@mail.example')
    expect((await steps())['mail']).toBe(false)
  })

  it('says what the mail server answered, and is limited', async () => {
    const away = await openPortal({ environment: { SMTP_URL: 'smtp://127.0.0.1:1' } })
    try {
      const owner = await away.admin()
      const { outcome, says } = read(
        MailTestAnswer,
        await owner.post(`${PATH}/test-mail`, { address: 'jo@mail.example' }),
      )
      expect([outcome, says]).toEqual(['failed', expect.stringMatching(/^It was not sent: ./)])
      expect(read(Setup, await owner.get(PATH, await away.atEnd())).mailFolder).toBeNull()
      for (let n = 1; n < 10; n++) await owner.post(`${PATH}/test-mail`, { address: 'jo@mail.example' })
      expect((await owner.post(`${PATH}/test-mail`, { address: 'jo@mail.example' })).status).toBe(429)
    } finally {
      await away.stop()
    }
  })
})
