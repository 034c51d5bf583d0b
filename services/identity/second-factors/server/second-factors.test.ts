import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Browser } from '#test-support/http-client.ts'
import { revertTokenOf, tokenOf } from '#test-support/mail-links.ts'
import { newEmail, openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { type VirtualAuthenticator, virtualAuthenticator } from '#test-support/virtual-authenticator.ts'
import { userId } from '#services/framework/ids.ts'
import { REMOVAL_DELAY, requestRemoval, userFactors } from '../second-factor.ts'
import { AccessKeys } from '#services/identity/staff/server/access-keys.ts'

let portal: Portal

beforeAll(async () => {
  // Passkeys need a host name.
  portal = await openPortal({ environment: { HOST: 'localhost', STEP_UP_ABOVE: '100' } })
})
afterAll(async () => portal.stop())

const FACTORS = '/api/user/factors'
const authenticator = () => virtualAuthenticator(new URL(portal.url).origin)
const typesOf = async (id: string) => (await portal.events(`factors-${id}`)).map(({ type }) => type)
const login = ({ email, password }: Trader, browser = portal.browser()) =>
  browser.post('/api/login', { email, password })

const REQUIRED = { status: 401, body: { code: 'second-factor-required' } }
const UNCONFIRMED = { status: 403, body: { code: 'confirmation-required' } }
const NOT_VERIFIED = {
  status: 400,
  body: { errors: { passkey: 'This passkey could not be verified. Please try again.' } },
}
const WRONG_CODE = { status: 400, body: { errors: { code: 'This code is not valid. Codes work once.' } } }

async function withPasskey(person: Browser, path = FACTORS, made = authenticator()): Promise<VirtualAuthenticator> {
  const { body } = await person.get(`${path}/passkeys`)
  expect(await person.post(`${path}/passkeys`, { name: 'Phone', passkey: made.create(body) })).toMatchObject({
    status: 200,
  })
  return made
}

const setupAnswer = z.object({ key: z.string(), uri: z.string(), setup: z.string() })

/** Turns an authenticator app on. Returns its codes by time step, 0 for the step of the code that is used already. */
async function withAuthenticator(person: Browser, path = FACTORS): Promise<(later: number) => string> {
  const { key, setup } = setupAnswer.parse((await person.get(`${path}/authenticator`)).body)
  const since = Date.now()
  const codeAt = (later: number) =>
    new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: since + later * 30_000 })
  expect(await person.post(`${path}/authenticator`, { setup, code: codeAt(0) })).toMatchObject({ status: 200 })
  return codeAt
}

const withRecoveryCodes = async (person: Browser, path = FACTORS) =>
  z.object({ codes: z.array(z.string()) }).parse((await person.post(`${path}/recovery-codes`)).body).codes

/** The session's confirmation is over, as after 5 minutes. */
const forgetConfirmation = (person: Browser) =>
  ['proofdesk-confirmed', 'proofdesk-admin-confirmed'].forEach((name) => person.cookies.delete(name))

/** The first step of a sign-in in another browser. */
async function pendingFor(trader: Trader): Promise<Browser> {
  const browser = portal.browser()
  expect(await login(trader, browser)).toMatchObject(REQUIRED)
  return browser
}

describe('a passkey', () => {
  it('is added, listed, renamed and removed; each change ends other sessions and renews this one', async () => {
    const trader = await portal.trader()
    const other = portal.browser()
    await login(trader, other)
    const before = trader.cookies.get('proofdesk-session')
    await withPasskey(trader)
    expect(trader.cookies.get('proofdesk-session')).not.toBe(before)
    expect((await other.get('/api/user')).status).toBe(401)
    const { body } = await trader.get(FACTORS)
    expect(body).toMatchObject({
      passkeys: [{ name: 'Phone', lastUsedAt: null }],
      authenticator: null,
      recoveryCodes: null,
      passkeysUnusable: null,
    })
    const [{ id } = { id: '' }] = z.object({ passkeys: z.array(z.object({ id: z.string() })) }).parse(body).passkeys
    expect((await trader.patch(`${FACTORS}/passkeys/${id}`, { name: 'Old phone' })).status).toBe(200)
    expect((await trader.delete(`${FACTORS}/passkeys/${id}`)).status).toBe(200)
    expect((await trader.get(FACTORS)).body).toMatchObject({ passkeys: [] })
    expect(await typesOf(trader.id)).toEqual([
      'SignedInFromNewBrowser',
      'PasskeyAdded',
      'PasskeyRenamed',
      'PasskeyRemoved',
    ])
    await portal.mailWith(trader.email, ({ text }) => text?.includes('The passkey "Phone" was added') ?? false)
    // The trader reads it all in the history, in plain words, and nothing of it is in the proof.
    expect((await trader.get('/api/user/history')).body).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: 'PasskeyAdded' })]),
    )
    expect((await trader.get('/api/user/history/proof')).text).not.toContain('Passkey')
  })

  it('signs its owner in without a password, once for each challenge', async () => {
    const trader = await portal.trader()
    const phone = await withPasskey(trader)
    const browser = portal.browser()
    const passkey = phone.sign((await browser.get('/api/login/passkey')).body)
    expect(await browser.post('/api/login/passkey', { passkey })).toMatchObject({
      status: 200,
      body: { id: trader.id },
    })
    expect((await browser.get('/api/user', await portal.atEnd())).status).toBe(200)
    expect(await portal.browser().post('/api/login/passkey', { passkey })).toMatchObject(NOT_VERIFIED)
    expect((await portal.events(`factors-${trader.id}`)).slice(1)).toMatchObject([
      { type: 'PasskeyUsed', data: { counter: 1 } },
      { type: 'SignedInFromNewBrowser' },
    ])
  })

  it('of another site, another person, an unverified user or a cloned authenticator opens nothing', async () => {
    const [trader, other] = [await portal.trader(), await portal.trader()]
    const [phone, foreign] = [await withPasskey(trader), await withPasskey(other)]
    const request = async () => (await portal.browser().get('/api/login/passkey')).body
    const attempt = async (passkey: unknown) => portal.browser().post('/api/login/passkey', { passkey })
    expect(await attempt(phone.sign(await request(), { origin: 'https://evil.example' }))).toMatchObject(NOT_VERIFIED)
    expect(await attempt(phone.sign(await request(), { verified: false }))).toMatchObject(NOT_VERIFIED)
    expect(await attempt(phone.sign({ challenge: 'bWFkZSB1cA', rpId: 'localhost' }))).toMatchObject(NOT_VERIFIED)
    // The other's key, in the name of the trader.
    const stolen = foreign.sign(await request())
    const userHandle = phone.credentials[0]?.userHandle
    expect(await attempt({ ...stolen, response: { ...stolen.response, userHandle } })).toMatchObject(NOT_VERIFIED)
    expect(await attempt(phone.sign(await request()))).toMatchObject({ status: 200 })
    expect(await attempt(phone.sign(await request(), { counter: 1 }))).toMatchObject(NOT_VERIFIED)
    // A signature for one purpose is of no use for another.
    const second = await pendingFor(trader)
    expect(await second.post('/api/login/factor', { passkey: phone.sign(await request()) })).toMatchObject(NOT_VERIFIED)
  })
})

describe('a sign-in with a second factor', () => {
  it('is pending after the password, and opens nothing until the code', async () => {
    const trader = await portal.trader()
    const codeAt = await withAuthenticator(trader)
    const browser = await pendingFor(trader)
    for (const path of ['/api/user', '/api/user/account', FACTORS, '/api/user/sessions'])
      expect((await browser.get(path)).status).toBe(401)
    expect(
      (await browser.post('/api/user/payouts', { amount: '10', paymentMethod: 'paypal', paymentDetails: 'x' })).status,
    ).toBe(401)
    expect(await browser.get('/api/login/factor')).toMatchObject({
      status: 200,
      body: { factors: ['authenticator'], passkey: null },
    })
    // Not as the session's cookie either.
    const pending = browser.cookies.get('proofdesk-sign-in') ?? ''
    expect(
      (await portal.browser().get('/api/user', { headers: { cookie: `proofdesk-session=${pending}` } })).status,
    ).toBe(401)
    expect(await browser.post('/api/login/factor', { code: '12345' })).toMatchObject(WRONG_CODE)
    expect(await browser.post('/api/login/factor', { code: codeAt(1) })).toMatchObject({
      status: 200,
      body: { id: trader.id },
    })
    expect((await browser.get('/api/user', await portal.atEnd())).status).toBe(200)
    expect(browser.cookies.has('proofdesk-sign-in')).toBe(false)
  })

  it('takes no code twice, not even the one that turned the app on', async () => {
    const trader = await portal.trader()
    const codeAt = await withAuthenticator(trader)
    const [one, two] = [await pendingFor(trader), await pendingFor(trader)]
    expect(await one.post('/api/login/factor', { code: codeAt(0) })).toMatchObject(WRONG_CODE)
    const answers = await Promise.all(
      [one, two].map((browser) => browser.post('/api/login/factor', { code: codeAt(1) })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
    expect(await (await pendingFor(trader)).post('/api/login/factor', { code: codeAt(1) })).toMatchObject(WRONG_CODE)
    expect(await trader.post(`${FACTORS}/confirmation`, { code: codeAt(1) })).toMatchObject(WRONG_CODE)
  })

  it('takes each recovery code once, and its owner gets a mail', async () => {
    const trader = await portal.trader()
    await withPasskey(trader)
    const codes = await withRecoveryCodes(trader)
    expect(codes).toHaveLength(10)
    const [code = ''] = codes
    expect(await (await pendingFor(trader)).post('/api/login/factor', { code: code.toUpperCase() })).toMatchObject({
      status: 200,
    })
    expect(await (await pendingFor(trader)).post('/api/login/factor', { code })).toMatchObject(WRONG_CODE)
    await portal.mailWith(trader.email, ({ text }) => text?.includes('Codes left: 9.') ?? false)
    const stored = JSON.stringify((await portal.events(`factors-${trader.id}`)).map(({ data }) => data))
    for (const each of codes) expect(stored).not.toContain(each)
  })

  it('takes codes as keyboards of other scripts write them', async () => {
    const trader = await portal.trader()
    const codeAt = await withAuthenticator(trader)
    const [code = ''] = await withRecoveryCodes(trader)
    const inArabic = codeAt(1).replaceAll(/\d/g, (digit) => '٠١٢٣٤٥٦٧٨٩'.charAt(Number(digit)))
    const wide = code.replaceAll(/./g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0))
    for (const typed of [` ${inArabic.slice(0, 3)} ${inArabic.slice(3)}`, wide])
      expect(await (await pendingFor(trader)).post('/api/login/factor', { code: typed })).toMatchObject({ status: 200 })
  })

  it('names the layout of the keyboard, and counts no guess, for a code in other letters', async () => {
    const trader = await portal.trader()
    const codeAt = await withAuthenticator(trader)
    const browser = await pendingFor(trader)
    // Cyrillic by place, one Cyrillic letter that looks Latin, Greek, and the i of Turkish keyboards.
    for (const code of ['к7вь2-ч9й4р', 'k7dm2-х9q4r', 'κ7δμ2-χ9;4ρ', 'kı7dm-2x9q4'])
      for (let attempt = 0; attempt < 4; attempt++)
        expect(await browser.post('/api/login/factor', { code })).toMatchObject({
          status: 400,
          body: { errors: { code: expect.stringContaining('layout of your keyboard') } },
        })
    expect(await browser.post('/api/login/factor', { code: codeAt(1) })).toMatchObject({ status: 200 })
  })

  it('slows guessing down, and still lets the owner in from a known browser', async () => {
    const trader = await portal.trader()
    const codeAt = await withAuthenticator(trader)
    const thief = await pendingFor(trader)
    const guesses = await Promise.all(
      Array.from({ length: 12 }, () => thief.post('/api/login/factor', { code: '000000' })),
    )
    expect(guesses.filter(({ status }) => status === 429)).toHaveLength(2)
    expect(guesses.find(({ status }) => status === 429)?.headers.get('retry-after')).not.toBeNull()
    expect(await login(trader, trader)).toMatchObject(REQUIRED)
    expect(await trader.post('/api/login/factor', { code: codeAt(1) })).toMatchObject({ status: 200 })
  })

  it('ends with a change of the password', async () => {
    const trader = await portal.trader()
    const codeAt = await withAuthenticator(trader)
    const pending = await pendingFor(trader)
    const change = {
      currentPassword: trader.password,
      newPassword: 'a better horse',
      confirmPassword: 'a better horse',
    }
    expect((await trader.post('/api/user/change-password', change)).status).toBe(200)
    expect(await pending.post('/api/login/factor', { code: codeAt(1) })).toMatchObject({ status: 401 })
  })

  it('stays after a mailed reset of the password', async () => {
    const trader = await portal.trader()
    const codeAt = await withAuthenticator(trader)
    await portal.browser().post('/api/forgot-password', { email: trader.email })
    const mail = await portal.mailWith(trader.email, ({ text }) => text?.includes('/reset-password?token=') ?? false)
    const password = 'a better horse'
    expect((await portal.browser().post('/api/reset-password', { token: tokenOf(mail), password })).status).toBe(200)
    const browser = await pendingFor({ ...trader, password })
    expect(await browser.post('/api/login/factor', { code: codeAt(1) })).toMatchObject({ status: 200 })
  })

  it('changes nothing for people without one', async () => {
    const trader = await portal.trader()
    expect(await login(trader)).toMatchObject({ status: 200, body: { id: trader.id } })
    expect(await portal.browser().get('/api/login/factor')).toMatchObject({ status: 401 })
  })
})

it('names the portal and the person in an authenticator, so that no other portal replaces the entry', async () => {
  const named = await openPortal({ environment: { FIRM_NAME: 'Northgate: Capital' } })
  onTestFinished(() => named.stop())
  for (const [own, issuer] of [
    [portal, new URL(portal.url).hostname],
    [named, 'Northgate: Capital'],
  ] as const) {
    const trader = await own.trader()
    const people = [
      [trader, FACTORS, trader.email],
      [await own.admin(), '/api/admin/auth/factors', 'ADMIN_ACCESS_KEY'],
    ] as const
    for (const [person, path, name] of people) {
      const setup = await person.get(`${path}/authenticator`)
      expect([path, setup.status, setup.text.slice(0, 80)]).toEqual([path, 200, expect.any(String)])
      const uri = new URL(setupAnswer.parse(setup.body).uri)
      expect(uri.searchParams.get('issuer')).toBe(issuer)
      expect(decodeURIComponent(uri.pathname)).toBe(`//totp/${issuer}:${name}`.replace('//totp', ''))
    }
  }
})

describe('a confirmation', () => {
  it('is needed for each change of second factors, with the password while there is none', async () => {
    const trader = await portal.trader()
    forgetConfirmation(trader)
    const { setup } = setupAnswer.parse((await trader.get(`${FACTORS}/authenticator`)).body)
    expect(await trader.post(`${FACTORS}/authenticator`, { setup, code: '123456' })).toMatchObject(UNCONFIRMED)
    expect(await trader.get(`${FACTORS}/confirmation`)).toMatchObject({
      body: { factors: ['password'], passkey: null },
    })
    expect(await trader.post(`${FACTORS}/confirmation`, { secret: 'wrong' })).toMatchObject({
      status: 400,
      body: { message: 'Your password is not correct' },
    })
    expect(await trader.post(`${FACTORS}/confirmation`, { secret: trader.password })).toMatchObject({ status: 200 })
    const codeAt = await withAuthenticator(trader)
    forgetConfirmation(trader)
    // A thief with the session and the password cannot remove the factor.
    expect(await trader.delete(`${FACTORS}/authenticator`)).toMatchObject(UNCONFIRMED)
    expect(await trader.post(`${FACTORS}/recovery-codes`)).toMatchObject(UNCONFIRMED)
    expect(await trader.post(`${FACTORS}/confirmation`, { secret: trader.password })).toMatchObject(WRONG_CODE)
    expect(await trader.post(`${FACTORS}/confirmation`, { code: codeAt(1) })).toMatchObject({ status: 200 })
    expect((await trader.delete(`${FACTORS}/authenticator`)).status).toBe(200)
  })

  it('does not come with a change of the password: a thief with session and password gets none', async () => {
    const trader = await portal.trader()
    await withPasskey(trader)
    forgetConfirmation(trader)
    const change = {
      currentPassword: trader.password,
      newPassword: 'a better horse',
      confirmPassword: 'a better horse',
    }
    const changed = await trader.post('/api/user/change-password', change)
    expect(await trader.post(`${FACTORS}/recovery-codes`)).toMatchObject(UNCONFIRMED)
    expect(changed).toMatchObject(UNCONFIRMED)
  })

  it('counts for its own session only', async () => {
    const [trader, thief] = [await portal.trader(), await portal.trader()]
    await withPasskey(trader)
    forgetConfirmation(trader)
    trader.cookies.set('proofdesk-confirmed', thief.cookies.get('proofdesk-confirmed') ?? '')
    expect(await trader.post(`${FACTORS}/recovery-codes`)).toMatchObject(UNCONFIRMED)
  })

  it('is needed of a trader with a second factor to change the email or where payouts go', async () => {
    const [admin, trader, plain] = [await portal.admin(), await portal.trader(), await portal.trader()]
    for (const { id } of [trader, plain]) await admin.patch(`/api/admin/user/${id}/account`, { payoutEnabled: true })
    const payout = (details: string) => ({ amount: '10', paymentMethod: 'paypal', paymentDetails: details })
    const phone = await withPasskey(trader)
    expect((await trader.post('/api/user/payouts', payout('ada@example.com'))).status).toBe(201)
    forgetConfirmation(trader)
    forgetConfirmation(plain)
    expect((await trader.post('/api/user/payouts', payout('ada@example.com'))).status).toBe(201)
    expect(await trader.post('/api/user/payouts', payout('thief@example.com'))).toMatchObject(UNCONFIRMED)
    expect(await trader.patch('/api/user/profile', { email: newEmail() })).toMatchObject(UNCONFIRMED)
    expect((await trader.patch('/api/user/profile', { city: 'Paris' })).status).toBe(200)
    const choice = z
      .object({ factors: z.array(z.string()), passkey: z.unknown() })
      .parse((await trader.get(`${FACTORS}/confirmation`)).body)
    expect(choice.factors).toEqual(['passkey'])
    expect((await trader.post(`${FACTORS}/confirmation`, { passkey: phone.sign(choice.passkey) })).status).toBe(200)
    expect((await trader.patch('/api/user/profile', { email: newEmail() })).status).toBe(200)
    // Nor is a destination known that staff rejected: a thief may have asked for it before there was a factor.
    const rejected = z
      .object({ id: z.string() })
      .parse((await trader.post('/api/user/payouts', payout('thief@example.com'))).body)
    expect(
      (await admin.patch(`/api/admin/payouts/${rejected.id}`, { status: 'rejected', adminNotes: 'Not yours' })).status,
    ).toBe(200)
    forgetConfirmation(trader)
    expect(await trader.post('/api/user/payouts', payout('thief@example.com'))).toMatchObject(UNCONFIRMED)
    expect((await trader.post('/api/user/payouts', payout('ada@example.com'))).status).toBe(201)
    // Without a second factor nobody is asked.
    expect((await plain.post('/api/user/payouts', payout('anyone@example.com'))).status).toBe(201)
    expect((await plain.patch('/api/user/profile', { email: newEmail() })).status).toBe(200)
  })
})

describe('what a thief did', () => {
  it('goes with the email change that the owner takes back, and what the owner had stays', async () => {
    const trader = await portal.trader()
    await withPasskey(trader)
    expect((await trader.patch('/api/user/profile', { email: newEmail() })).status).toBe(200)
    await withAuthenticator(trader)
    const mail = await portal.mailWith(trader.email, ({ text }) => text?.includes('/revert-email?token=') ?? false)
    expect((await portal.browser().post('/api/revert-email', { token: revertTokenOf(mail) })).status).toBe(200)
    expect(await typesOf(trader.id)).toEqual(['PasskeyAdded', 'AuthenticatorTurnedOn', 'AuthenticatorTurnedOff'])
  })
})

describe('an administrator', () => {
  const ADMIN = '/api/admin/auth/factors'
  const staff = async () => {
    const { id, accessKey } = await new AccessKeys(
      portal.running.parts.repositories,
      portal.running.parts.secrets,
    ).issue('Dana', 'admin', 'a test')
    const browser = portal.browser()
    const signIn = (other = browser) => other.post('/api/admin/login', { accessKey })
    expect(await signIn()).toMatchObject({ status: 200 })
    return { id, accessKey, browser, signIn }
  }

  it('signs in with the access key and then the factor', async () => {
    const { id, browser, signIn } = await staff()
    const codeAt = await withAuthenticator(browser, ADMIN)
    const next = portal.browser()
    expect(await signIn(next)).toMatchObject(REQUIRED)
    expect((await next.get('/api/admin/stats')).status).toBe(401)
    expect((await next.get('/api/admin/auth')).body).toEqual({ isAdmin: false })
    expect(await next.post('/api/admin/login/factor', { code: codeAt(1) })).toMatchObject({
      status: 200,
      body: { label: 'Dana' },
    })
    expect((await next.get('/api/admin/stats')).status).toBe(200)
    expect((await portal.events(`admin-${id}`)).map(({ type }) => type)).toEqual([
      'AdminKeyIssued',
      'AdminSignedIn',
      'AdminSignedIn',
    ])
    expect((await portal.events(`stafffactors-${id}`)).map(({ type }) => type)).toEqual([
      'AuthenticatorTurnedOn',
      'AuthenticatorCodeUsed',
    ])
    // The audit names no user for them.
    const events = z
      .array(z.object({ type: z.string(), userId: z.string().nullable() }))
      .parse((await next.get('/api/audit/events?type=AuthenticatorTurnedOn')).body)
    expect(events.some(({ userId }) => userId === null)).toBe(true)
  })

  it.each(['replaced', 'revoked'])('cannot finish a sign-in that began before the key was %s', async (end) => {
    const [admin, { id, browser, signIn }] = [await portal.admin(), await staff()]
    const codeAt = await withAuthenticator(browser, ADMIN)
    const next = portal.browser()
    expect(await signIn(next)).toMatchObject(REQUIRED)
    expect(
      (
        await (end === 'replaced'
          ? admin.post(`/api/admin/staff/${id}/key`, {})
          : admin.delete(`/api/admin/staff/${id}`))
      ).status,
    ).toBe(200)
    expect(await next.post('/api/admin/login/factor', { code: codeAt(1) })).toMatchObject({ status: 401 })
    expect((await next.get('/api/admin/stats')).status).toBe(401)
    // Nor is the code used up.
    expect((await portal.events(`stafffactors-${id}`)).map(({ type }) => type)).toEqual(['AuthenticatorTurnedOn'])
  })

  it('confirms every change of the access of staff, and looks at master passwords, once there is a factor', async () => {
    const [{ browser }, member, trader] = [await staff(), await portal.member('support'), await portal.trader()]
    await browser.patch(`/api/admin/user/${trader.id}/account`, { masterPassword: 'only-for-the-broker' })
    await withPasskey(browser, ADMIN)
    const sensitive = [
      () => browser.post('/api/admin/staff', { name: 'Kim', role: 'support' }),
      () => browser.patch(`/api/admin/staff/${member.id}`, { role: 'auditor' }),
      () => browser.post(`/api/admin/staff/${member.id}/key`, {}),
      () => browser.delete(`/api/admin/staff/${member.id}`),
      () => browser.post(`/api/admin/user/${trader.id}/account/master-password`),
    ]
    const confirmed = new Map(browser.cookies)
    forgetConfirmation(browser)
    for (const call of sensitive) expect(await call()).toMatchObject(UNCONFIRMED)
    expect((await member.get('/api/admin/stats')).status).toBe(200)
    for (const [name, value] of confirmed) browser.cookies.set(name, value)
    for (const call of sensitive) expect([200, 201]).toContain((await call()).status)
  })

  it('cannot finish a sign-in as a trader, and the other way round', async () => {
    const { browser, signIn } = await staff()
    const codeAt = await withAuthenticator(browser, ADMIN)
    const next = portal.browser()
    await signIn(next)
    expect(await next.post('/api/login/factor', { code: codeAt(1) })).toMatchObject({ status: 401 })
  })

  it('confirms large verdicts, deletions and changes of email, once there is a factor', async () => {
    const [{ browser }, plain, trader] = [await staff(), await portal.admin(), await portal.trader()]
    await browser.patch(`/api/admin/user/${trader.id}/account`, { payoutEnabled: true })
    const ask = async (amount: string) =>
      z
        .object({ id: z.string() })
        .parse(
          (await trader.post('/api/user/payouts', { amount, paymentMethod: 'paypal', paymentDetails: 'ada' })).body,
        ).id
    const [small, large, larger] = [await ask('100'), await ask('100.01'), await ask('500')]
    const approve = (who: Browser, id: string) =>
      who.patch(`/api/admin/payouts/${id}`, { status: 'approved', adminNotes: '' })
    const phone = await withPasskey(browser, ADMIN)
    forgetConfirmation(browser)
    forgetConfirmation(plain)
    expect((await approve(browser, small)).status).toBe(200)
    expect(await approve(browser, large)).toMatchObject(UNCONFIRMED)
    expect((await approve(plain, larger)).status).toBe(200)
    expect(await browser.patch(`/api/admin/user/${trader.id}`, { email: newEmail() })).toMatchObject(UNCONFIRMED)
    expect(await browser.delete(`/api/admin/user/${trader.id}`)).toMatchObject(UNCONFIRMED)
    const { passkey } = z.object({ passkey: z.unknown() }).parse((await browser.get(`${ADMIN}/confirmation`)).body)
    expect((await browser.post(`${ADMIN}/confirmation`, { passkey: phone.sign(passkey) })).status).toBe(200)
    expect((await approve(browser, large)).status).toBe(200)
    expect((await browser.delete(`/api/admin/user/${trader.id}`)).status).toBe(200)
  })

  it('removes the factors of a trader who lost them, ends the sessions, and the trader gets a mail', async () => {
    const [admin, trader] = [await portal.admin(), await portal.trader()]
    await withPasskey(trader)
    expect((await admin.delete(`/api/admin/user/${trader.id}/factors`)).status).toBe(200)
    expect((await trader.get('/api/user')).status).toBe(401)
    expect(await login(trader)).toMatchObject({ status: 200 })
    await portal.mailWith(
      trader.email,
      ({ text }) => text?.includes('All second factors of your Proofdesk account were removed') ?? false,
    )
    expect((await admin.delete('/api/admin/user/nobody00/factors')).status).toBe(404)
  })

  const removalOf = ({ id }: Trader) => `/api/admin/user/${id}/factors/removal`
  const QUESTION = { question: 'last-payout' }
  /** As if the question had been answered a day ago. */
  const askedYesterday = ({ id }: Trader) =>
    portal.running.parts.repositories
      .of(userFactors)
      .decide(
        userId.parse(id),
        { actor: { kind: 'system', label: 'a test' }, requestId: 'r', correlationId: 'c', causationId: 'r' },
        (factors) => requestRemoval(factors, 'last-payout', Date.now() - REMOVAL_DELAY),
      )

  it('has lost factors removed a day after a question was answered, and the trader can stop it', async () => {
    const [support, trader] = [await portal.member('support'), await portal.trader()]
    expect(await support.post(removalOf(trader), QUESTION)).toMatchObject({ status: 409 })
    await withPasskey(trader)
    expect((await support.delete(`/api/admin/user/${trader.id}/factors`)).status).toBe(403)
    expect((await (await portal.member('payouts')).post(removalOf(trader), QUESTION)).status).toBe(403)
    expect((await support.post(removalOf(trader), { question: 'favourite-colour' })).status).toBe(400)
    expect((await support.post(removalOf(trader), QUESTION)).status).toBe(200)
    expect((await support.post(removalOf(trader), QUESTION)).status).toBe(409)
    expect(await support.get(`/api/admin/user/${trader.id}/factors`)).toMatchObject({
      body: { present: true, removal: QUESTION },
    })
    expect((await portal.events(`factors-${trader.id}`)).at(-1)).toMatchObject({
      ...{ type: 'FactorRemovalRequested', data: QUESTION, metadata: { actor: { id: support.id } } },
    })
    await portal.mailWith(trader.email, ({ subject }) => subject === 'Your Proofdesk second factors will be removed')
    // Until then signing in needs them.
    expect(await login(trader)).toMatchObject(REQUIRED)
    expect(await trader.get(FACTORS)).toMatchObject({ body: { removal: QUESTION, passkeys: [{ name: 'Phone' }] } })
    expect((await trader.delete(`${FACTORS}/removal`)).status).toBe(200)
    expect((await trader.delete(`${FACTORS}/removal`)).status).toBe(409)
    await support.post(removalOf(trader), QUESTION)
    expect((await support.delete(removalOf(trader))).status).toBe(200)
    expect(await typesOf(trader.id)).toEqual([
      'PasskeyAdded',
      ...['FactorRemovalRequested', 'FactorRemovalStopped', 'FactorRemovalRequested', 'FactorRemovalStopped'],
    ])
    // An administrator need not wait.
    await support.post(removalOf(trader), QUESTION)
    expect((await (await portal.admin()).delete(`/api/admin/user/${trader.id}/factors`)).status).toBe(200)
    expect(await login(trader)).toMatchObject({ status: 200 })
  })

  it('needs no process to run when the day is over: the date decides, and the next sign-in records it', async () => {
    const [support, trader] = [await portal.member('support'), await portal.trader()]
    const phone = await withPasskey(trader)
    await askedYesterday(trader)
    expect(await support.get(`/api/admin/user/${trader.id}/factors`)).toMatchObject({
      body: { present: false, removal: null },
    })
    expect((await support.delete(removalOf(trader))).status).toBe(409)
    const passkey = phone.sign((await portal.browser().get('/api/login/passkey')).body)
    expect(await portal.browser().post('/api/login/passkey', { passkey })).toMatchObject(NOT_VERIFIED)
    expect(await login(trader)).toMatchObject({ status: 200 })
    // Who was signed in is not any more.
    expect((await trader.get('/api/user')).status).toBe(401)
    expect(await typesOf(trader.id)).toEqual([
      ...['PasskeyAdded', 'FactorRemovalRequested', 'SecondFactorsRemoved'],
      'SignedInFromNewBrowser',
    ])
    expect((await portal.events(`factors-${trader.id}`))[2]).toMatchObject({
      metadata: { actor: { kind: 'system', label: 'second factors' } },
    })
  })

  it('takes nothing with them that is added after the day is over', async () => {
    const trader = await portal.trader()
    await withAuthenticator(trader)
    await askedYesterday(trader)
    const { body } = await trader.get(`${FACTORS}/passkeys`)
    const passkey = authenticator().create(body)
    expect((await trader.post(`${FACTORS}/passkeys`, { name: 'Phone', passkey })).status).toBe(401)
    expect(await typesOf(trader.id)).toEqual([
      ...['AuthenticatorTurnedOn', 'FactorRemovalRequested', 'SecondFactorsRemoved'],
    ])
    expect(await login(trader)).toMatchObject({ status: 200 })
  })

  it('deletes a trader together with all second factors', async () => {
    const [admin, trader] = [await portal.admin(), await portal.trader()]
    const phone = await withPasskey(trader)
    const passkey = phone.sign((await portal.browser().get('/api/login/passkey')).body)
    expect((await admin.delete(`/api/admin/user/${trader.id}`)).status).toBe(200)
    expect(await portal.browser().post('/api/login/passkey', { passkey })).toMatchObject({ status: 401 })
    expect(await portal.events(`factors-${trader.id}`)).toMatchObject([
      { type: 'PasskeyAdded', data: { name: 'erased', credentialId: 'erased', publicKey: 'erased' } },
      { type: 'SecondFactorsRemoved' },
    ])
  })
})

describe('a sign-in from a new browser', () => {
  it('is mailed with browser, time and approximate address, not for the sign-up and known browsers', async () => {
    const trader = await portal.trader()
    await login(trader, trader)
    expect(await typesOf(trader.id)).toEqual([])
    const { email, password } = trader
    const phone = portal.browser()
    await phone.post(
      '/api/login',
      { email, password },
      { headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0' } },
    )
    await login(trader, phone)
    expect(await typesOf(trader.id)).toEqual(['SignedInFromNewBrowser'])
    const { text } = await portal.mailWith(
      email,
      ({ subject }) => subject === 'Your Proofdesk account was used in a new browser',
    )
    expect(text).toContain('Browser: Firefox on Linux')
    expect(text).toMatch(/Time: \d+ \w+ \d{4}, \d\d:\d\d UTC/)
    expect(text).toMatch(/Address \(approximate\): (127\.0\.0\.x|::1|0:0:0::\/48)/)
  })

  it('is not mailed about the first sign-in of a new trader, and about the next', async () => {
    const admin = await portal.admin()
    const email = newEmail()
    const { id } = z
      .object({ id: z.string() })
      .parse((await admin.post('/api/admin/users', { fullName: 'New Trader', email })).body)
    const { text = '' } = await portal.mailWith(email, ({ subject }) => subject === 'Your Proofdesk account')
    const token = decodeURIComponent(/reset-password\?token=([^\s"&<]+)/.exec(text)?.[1] ?? '')
    const password = 'correct horse battery staple'
    expect((await portal.browser().post('/api/reset-password', { token, password })).status).toBe(200)
    const trader = { email, password }
    for (const told of [[], ['SignedInFromNewBrowser']]) {
      expect((await portal.browser().post('/api/login', trader)).status).toBe(200)
      expect(await typesOf(id)).toEqual(told)
    }
  })

  it('is mailed a few times only', async () => {
    const trader = await portal.trader()
    for (let n = 0; n < 7; n++) expect((await login(trader)).status).toBe(200)
    expect(await typesOf(trader.id)).toHaveLength(5)
  })
})

describe('a firm that requires second factors of staff', () => {
  it('lets staff without one reach only the enrolment, and keep one', async () => {
    const strict = await openPortal({ environment: { HOST: 'localhost', REQUIRE_STAFF_SECOND_FACTOR: 'true' } })
    try {
      const admin = await strict.admin()
      const ENROL = { status: 403, body: { code: 'second-factor-enrolment-required' } }
      for (const path of [
        '/api/admin/stats',
        '/api/audit/events',
        '/api/live',
        '/api/admin/users.csv',
        '/api/admin/auth/sessions',
      ])
        expect(await admin.get(path)).toMatchObject(ENROL)
      expect((await admin.get('/api/admin/auth')).body).toMatchObject({ isAdmin: true })
      expect((await admin.get('/api/admin/auth/factors')).body).toMatchObject({ required: true })
      const made = await withPasskey(admin, '/api/admin/auth/factors', virtualAuthenticator(new URL(strict.url).origin))
      expect((await admin.get('/api/admin/stats')).status).toBe(200)
      const { passkeys } = z
        .object({ passkeys: z.array(z.object({ id: z.string() })) })
        .parse((await admin.get('/api/admin/auth/factors')).body)
      expect(await admin.delete(`/api/admin/auth/factors/passkeys/${passkeys[0]?.id}`)).toMatchObject({ status: 409 })
      const next = strict.browser()
      expect(await next.post('/api/admin/login', { accessKey: strict.adminKey })).toMatchObject(REQUIRED)
      const { passkey } = z.object({ passkey: z.unknown() }).parse((await next.get('/api/admin/login/factor')).body)
      expect((await next.post('/api/admin/login/factor', { passkey: made.sign(passkey) })).status).toBe(200)
    } finally {
      await strict.stop()
    }
  })
})

it('passkeys say why they do not work at an address without a name', async () => {
  const bare = await openPortal()
  try {
    const trader = await bare.trader()
    const why = /^Passkeys need a host name, and this portal is at 127\.0\.0\.1\. Set PUBLIC_URL/
    expect((await trader.get(FACTORS)).body).toMatchObject({ passkeysUnusable: expect.stringMatching(why) })
    for (const path of [`${FACTORS}/passkeys`, '/api/login/passkey'])
      expect(await trader.get(path)).toMatchObject({ status: 409, body: { message: expect.stringMatching(why) } })
  } finally {
    await bare.stop()
  }
})
