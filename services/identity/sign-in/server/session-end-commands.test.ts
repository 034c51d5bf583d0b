import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ENDED_EVENT } from '#services/framework/api/live-schemas.ts'
import { OpenSession } from '../sign-in-api.ts'
import { SESSION_COOKIE } from '#services/framework/api/headers.ts'
import { read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'

let portal: Portal

beforeAll(async () => {
  portal = await openPortal({ environment: { TRUSTED_PROXIES: '1' } })
})
afterAll(async () => portal.stop())

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

/** Signs in again, from another browser. */
async function signIn(
  { email, password }: Pick<Trader, 'email' | 'password'>,
  userAgent = FIREFOX,
  address = '203.0.113.7',
): Promise<Browser> {
  const browser = portal.browser()
  const headers = { 'user-agent': userAgent, 'x-forwarded-for': address }
  expect((await browser.post('/api/login', { email, password }, { headers })).status).toBe(200)
  return browser
}

const sessionsOf = async (who: Browser, path = '/api/user/sessions') =>
  read(z.array(OpenSession), await who.get(path, await portal.atEnd()))

const statusOf = async (...browsers: Browser[]) =>
  Promise.all(browsers.map(async (browser) => (await browser.get('/api/user')).status))

/** Opens a live stream; `end` is everything it said, once it has ended. */
async function openStream({ cookies }: Browser): Promise<{ readonly end: Promise<string> }> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(new URL('/api/live', portal.url), { headers: { cookie } })
  expect(response.status).toBe(200)
  return { end: response.text() }
}

describe('the sessions of a trader', () => {
  it('show browser, address, since when and last seen, the last used first', async () => {
    const began = Date.now()
    const ada = await portal.trader()
    const [phone, laptop] = [await signIn(ada, SAFARI, '2001:db8::7'), await signIn(ada)]
    const listed = await sessionsOf(laptop)
    expect(listed.map(({ browser, address, current }) => [browser, address, current])).toEqual(
      expect.arrayContaining([
        ['Safari on iPhone', '2001:db8::7', false],
        ['Firefox on Linux', '203.0.113.7', true],
        ['Unknown browser', expect.any(String), false],
      ]),
    )
    expect(listed).toHaveLength(3)
    for (const { since, lastSeen } of listed) {
      expect(Date.parse(since)).toBeGreaterThanOrEqual(began)
      expect(Date.parse(lastSeen)).toBeGreaterThanOrEqual(Date.parse(since))
    }
    expect((await sessionsOf(phone)).filter(({ current }) => current)).toMatchObject([{ browser: 'Safari on iPhone' }])
  })

  it('never contain what is in a cookie, nor its hash as stored', async () => {
    const ada = await portal.trader()
    const { text } = await ada.get('/api/user/sessions')
    const [{ idHash } = { idHash: '' }] = await portal.running.parts.sessionStore.list('trader', ada.id)
    expect(idHash).not.toBe('')
    for (const secret of [ada.cookies.get(SESSION_COOKIE) ?? '', idHash]) expect(text).not.toContain(secret)
  })

  it('end one by one', async () => {
    const ada = await portal.trader()
    const [phone, laptop] = [await signIn(ada, SAFARI), await signIn(ada)]
    const ended = (await sessionsOf(laptop)).find(({ browser }) => browser === 'Safari on iPhone')
    expect((await laptop.delete(`/api/user/sessions?id=${ended?.id}`)).status).toBe(200)
    expect(await statusOf(ada, phone, laptop)).toEqual([200, 401, 200])
    expect(await sessionsOf(laptop)).toHaveLength(2)
  })

  it('end all at once, but for the one in use', async () => {
    const ada = await portal.trader()
    const [phone, laptop] = [await signIn(ada, SAFARI), await signIn(ada)]
    expect((await laptop.delete('/api/user/sessions')).status).toBe(200)
    expect(await statusOf(ada, phone, laptop)).toEqual([401, 401, 200])
    expect(await sessionsOf(laptop)).toMatchObject([{ current: true }])
  })

  it('cannot be ended by another trader, and an unknown one is ignored', async () => {
    const [ada, grace] = [await portal.trader(), await portal.trader()]
    const [own] = await sessionsOf(ada)
    for (const id of [own?.id, 'unknown']) expect((await grace.delete(`/api/user/sessions?id=${id}`)).status).toBe(200)
    expect(await statusOf(ada, grace)).toEqual([200, 200])
  })

  it('are not recorded in the log when the trader ends them', async () => {
    const ada = await portal.trader()
    await signIn(ada)
    await ada.delete('/api/user/sessions')
    expect((await portal.userEvents(ada.id)).map(({ type }) => type)).toEqual(['UserRegistered'])
  })
})

describe('a change of password', () => {
  it('gives the session a new id, which keeps its age and browser', async () => {
    const ada = await portal.trader()
    const laptop = await signIn(ada)
    const old = portal.browser()
    for (const [name, value] of laptop.cookies) old.cookies.set(name, value)
    const before = (await sessionsOf(laptop)).find(({ current }) => current)
    const change = { currentPassword: ada.password, newPassword: 'a new password', confirmPassword: 'a new password' }
    expect((await laptop.post('/api/user/change-password', change)).status).toBe(200)
    expect(laptop.cookies.get(SESSION_COOKIE)).not.toBe(old.cookies.get(SESSION_COOKIE))
    expect(await statusOf(laptop, old, ada)).toEqual([200, 401, 401])
    const [after, ...others] = await sessionsOf(laptop)
    expect(others).toEqual([])
    expect(after).toMatchObject({
      browser: 'Firefox on Linux',
      address: '203.0.113.7',
      since: before?.since,
      current: true,
    })
    expect(after?.id).not.toBe(before?.id)
  })
})

describe('staff', () => {
  it("see a trader's sessions and end them, which the trader sees in the history", async () => {
    const admin = await portal.admin()
    const ada = await portal.trader()
    const phone = await signIn(ada, SAFARI)
    expect(await sessionsOf(admin, `/api/admin/user/${ada.id}/sessions`)).toMatchObject([
      { current: false },
      { current: false },
    ])
    expect((await admin.delete(`/api/admin/user/${ada.id}/sessions`)).status).toBe(200)
    expect(await statusOf(ada, phone)).toEqual([401, 401])
    expect((await portal.userEvents(ada.id)).at(-1)).toMatchObject({
      type: 'SessionsEnded',
      metadata: { actor: { kind: 'admin', label: 'ADMIN_ACCESS_KEY' } },
    })
    const again = await signIn(ada)
    expect((await again.get('/api/user/history?order=desc')).body).toMatchObject([
      { type: 'SignedInFromNewBrowser' },
      { type: 'SessionsEnded', actor: { kind: 'admin' } },
      { type: 'SignedInFromNewBrowser' },
      { type: 'AccountOpened' },
      { type: 'AccountAssigned' },
      {},
    ])
  })

  it('cannot end the sessions of an unknown user', async () => {
    const admin = await portal.admin()
    expect((await admin.delete('/api/admin/user/0000000000000000/sessions')).status).toBe(404)
  })

  it('see and end the sessions of their own access key', async () => {
    const [auditor, admin] = [await portal.auditor(), await portal.admin()]
    const other = await portal.admin()
    const own = await sessionsOf(auditor, '/api/admin/auth/sessions')
    expect(own).toMatchObject([{ current: true }])
    const ofAdmin = await sessionsOf(admin, '/api/admin/auth/sessions')
    const there = ofAdmin.filter(({ current }) => !current)
    expect(there.length).toBeGreaterThan(0)
    // Another key's session is not one's own.
    for (const { id } of there) await auditor.delete(`/api/admin/auth/sessions?id=${id}`)
    expect((await other.get('/api/admin/stats')).status).toBe(200)
    for (const { id } of there) expect((await admin.delete(`/api/admin/auth/sessions?id=${id}`)).status).toBe(200)
    expect((await other.get('/api/admin/stats')).status).toBe(401)
    const third = await portal.admin()
    expect((await admin.delete('/api/admin/auth/sessions')).status).toBe(200)
    expect((await third.get('/api/admin/stats')).status).toBe(401)
    expect((await auditor.get('/api/admin/stats')).status).toBe(200)
  })
})

describe('a live stream', () => {
  it.each<[string, (laptop: Browser, phone: Browser) => Promise<unknown>]>([
    ['when its session is ended elsewhere', (laptop) => laptop.delete('/api/user/sessions')],
    ['when its browser signs out', (_, phone) => phone.post('/api/logout')],
  ])('ends with its session, %s, and others stay', async (_, endPhone) => {
    const ada = await portal.trader()
    const [phone, laptop] = [await signIn(ada, SAFARI), await signIn(ada)]
    const [ofPhone, ofLaptop] = [await openStream(phone), await openStream(laptop)]
    await endPhone(laptop, phone)
    expect(await ofPhone.end).toContain(`event: ${ENDED_EVENT}`)
    const isOpen = Symbol('open')
    expect(await Promise.race([ofLaptop.end, Promise.resolve(isOpen)])).toBe(isOpen)
    await laptop.post('/api/logout')
    expect(await ofLaptop.end).toContain(`event: ${ENDED_EVENT}`)
  })
})
