import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Email } from 'postal-mime'
import type { Browser } from '#test-support/http-client.ts'
import { revertTokenOf, tokenOf } from '#test-support/mail-links.ts'
import { newEmail, openPortal, type Portal, registration, type Trader } from '#test-support/portal.ts'

let portal: Portal

beforeAll(async () => {
  portal = await openPortal()
})
afterAll(async () => portal.stop())

const CHANGED = 'Your Proofdesk email was changed'
const login = (email: string, password: string) => portal.browser().post('/api/login', { email, password })
const revert = (token: string) => portal.browser().post('/api/revert-email', { token })
const mailAbout = (to: string, subject: string) => portal.mailWith(to, (mail) => mail.subject === subject)
const holdsLink = (mail: Email) => mail.text?.includes('/revert-email?token=') ?? false

/** A thief with the trader's session changes the email. */
async function stolen(): Promise<{ readonly ada: Trader; readonly thief: string; readonly mail: Email }> {
  const [ada, thief] = [await portal.trader(), newEmail()]
  expect((await ada.patch('/api/user/profile', { email: thief })).status).toBe(200)
  return { ada, thief, mail: await portal.mailWith(ada.email, holdsLink) }
}

describe('a change of email', () => {
  it('is mailed to both addresses, with a link to take it back only to the one before', async () => {
    const { thief, mail } = await stolen()
    expect(mail.subject).toBe(CHANGED)
    expect(holdsLink(await mailAbout(thief, CHANGED))).toBe(false)
  })

  it('by an administrator is mailed too, other changes of a profile are not', async () => {
    const [admin, ada, email] = [await portal.admin(), await portal.trader(), newEmail()]
    await admin.patch(`/api/admin/user/${ada.id}`, { city: 'Paris' })
    await admin.patch(`/api/admin/user/${ada.id}`, { email })
    await mailAbout(email, CHANGED)
    await portal.mailWith(ada.email, holdsLink)
    await portal.mailed()
    expect(await portal.mails(ada.email)).toHaveLength(1)
    expect(await portal.mails(email)).toHaveLength(1)
  })

  it('is taken back by the link: the address before is in, everyone else is out, and a new password is set by mail', async () => {
    const { ada, thief, mail } = await stolen()
    await ada.post('/api/forgot-password', { email: thief })
    const reset = await portal.mailWith(thief, ({ text }) => text?.includes('/reset-password?token=') ?? false)
    await portal.browser().post('/api/reset-password', { token: tokenOf(reset), password: 'the thief was here' })
    const thiefs: Browser = portal.browser()
    await thiefs.post('/api/login', { email: thief, password: 'the thief was here' })

    expect((await revert(revertTokenOf(mail))).status).toBe(200)
    expect((await thiefs.get('/api/user')).status).toBe(401)
    for (const email of [thief, ada.email]) expect((await login(email, 'the thief was here')).status).toBe(401)
    const link = await portal.mailWith(ada.email, ({ text }) => text?.includes('/reset-password?token=') ?? false)
    expect(
      (await portal.browser().post('/api/reset-password', { token: tokenOf(link), password: 'a new password' })).status,
    ).toBe(200)
    expect((await login(ada.email, 'a new password')).status).toBe(200)
    expect((await portal.userEvents(ada.id)).map(({ type }) => type)).toEqual([
      'UserRegistered',
      'ProfileChanged',
      'EmailRevertOffered',
      'PasswordResetRequested',
      'PasswordReset',
      'ProfileChanged',
      'EmailChangeReverted',
      'PasswordResetRequested',
      'PasswordReset',
    ])
    // The thief's address is free again.
    expect((await portal.trader({ email: thief })).id).not.toBe(ada.id)
  })

  it('is taken back also after a second one, and only once', async () => {
    const { ada, mail } = await stolen()
    const second = newEmail()
    expect((await ada.patch('/api/user/profile', { email: second })).status).toBe(200)
    const token = revertTokenOf(mail)
    const answers = await Promise.all(Array.from({ length: 5 }, () => revert(token)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400])
    expect(await portal.userEvents(ada.id)).toMatchObject([
      {},
      {},
      {},
      {},
      {},
      { type: 'ProfileChanged', data: { to: { email: ada.email } } },
      {},
      {},
    ])
  })

  it('is taken back also after the thief took a second one back, to an address of the thief', async () => {
    const { ada, thief, mail } = await stolen()
    expect((await ada.patch('/api/user/profile', { email: newEmail() })).status).toBe(200)
    const thiefs = await portal.mailWith(thief, holdsLink)
    expect((await revert(revertTokenOf(thiefs))).status).toBe(200)
    expect((await revert(revertTokenOf(mail))).status).toBe(200)
    expect((await revert(revertTokenOf(thiefs))).status).toBe(400)
    const types = (await portal.userEvents(ada.id)).map(({ type }) => type)
    expect(types.filter((type) => type === 'EmailChangeReverted')).toHaveLength(2)
    await portal.mailWith(ada.email, ({ text }) => text?.includes('/reset-password?token=') ?? false)
  })

  it('cannot be taken back with a made-up link, nor when the address has a new holder', async () => {
    const { ada, mail } = await stolen()
    for (const token of ['nonsense', `${ada.id}.made-up`, tokenOfAnother(revertTokenOf(mail))])
      expect((await revert(token)).status).toBe(400)
    const heir = await portal.browser().post('/api/register', { ...registration, email: ada.email })
    expect(heir.status).toBe(201)
    expect((await revert(revertTokenOf(mail))).status).toBe(409)
  })

  it('ends a reset link mailed to the address before', async () => {
    const ada = await portal.trader()
    await ada.post('/api/forgot-password', { email: ada.email })
    const [mail] = await portal.mailsTo(ada.email, 1)
    expect((await ada.patch('/api/user/profile', { email: newEmail() })).status).toBe(200)
    const answer = await portal
      .browser()
      .post('/api/reset-password', { token: mail && tokenOf(mail), password: 'a new password' })
    expect(answer.status).toBe(400)
  })
})

describe('a change of password', () => {
  it('is mailed, in settings and by a mailed link', async () => {
    const ada = await portal.trader()
    const subject = 'Your Proofdesk password was changed'
    await ada.post('/api/user/change-password', {
      currentPassword: ada.password,
      newPassword: 'a new password',
      confirmPassword: 'a new password',
    })
    await mailAbout(ada.email, subject)
    await ada.post('/api/forgot-password', { email: ada.email })
    const link = await portal.mailWith(ada.email, ({ text }) => text?.includes('/reset-password?token=') ?? false)
    await portal.browser().post('/api/reset-password', { token: tokenOf(link), password: 'a third password' })
    await portal.mailed()
    expect((await portal.mails(ada.email)).filter((mail) => mail.subject === subject)).toHaveLength(2)
  })
})

describe('a name in a mail', () => {
  it.each([
    'customer, your payout is blocked - confirm at https://evil.example/verify',
    'Ada visit evil.example now',
    'Please write to support@evil.example',
  ])('carries no link, address or line break: %j', async (fullName) => {
    const ada = await portal.trader({ fullName })
    await ada.post('/api/forgot-password', { email: ada.email })
    const [mail] = await portal.mailsTo(ada.email, 1)
    expect(mail?.text).not.toMatch(/evil\.example|^Your payout/m)
    expect(mail?.html).not.toContain('evil.example')
    expect(mail?.to?.[0]?.name ?? '').not.toMatch(/evil|[\r\n]/)
    expect(mail?.text).toMatch(/^Hello\b[^\n]*,$/m)
  })
})

function tokenOfAnother(token: string): string {
  return token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A')
}
