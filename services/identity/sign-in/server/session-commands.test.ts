import type { Email } from 'postal-mime'
import { createServer, type Server } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openSqliteSessionStore } from '#infra/session-store/sqlite-session-store.ts'
import type { SessionKind, SessionStore } from '#infra/session-store/session-store.ts'
import { portOf } from '#test-support/servers/ports.ts'
import { ADMIN_COOKIE, SESSION_COOKIE } from '#services/framework/api/headers.ts'
import { allRoutes } from '#services/portal/routes.ts'
import { User } from '#services/identity/users/user-api.ts'
import { userId } from '#services/framework/ids.ts'
import { requestPasswordReset, userStreams } from '#services/identity/users/user.ts'
import { deriveSecrets } from '#services/process/keys/derived-secrets.ts'
import { limits } from '#services/framework/http/limits.ts'
import { createSessions, purgeSessions, lifetimes, type Sessions } from '#services/identity/authentication/sessions.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { hashToken } from '#services/process/keys/derived-secrets.ts'
import { filesContaining } from '#test-support/files-containing.ts'
import { type Answer, type Browser, browser } from '#test-support/http-client.ts'
import { tokenOf } from '#test-support/mail-links.ts'
import { newEmail, openPortal, type Portal, registration } from '#test-support/portal.ts'
import { isExternal } from '#test-support/portal-stores.ts'
import { until } from '#test-support/until.ts'
import { MIN_RESPONSE_MS } from './session-commands.ts'

let portal: Portal

beforeAll(async () => {
  portal = await openPortal()
})
afterAll(async () => portal.stop())

const register = (given: Readonly<Record<string, unknown>> = {}, from: Browser = portal.browser()) =>
  from.post('/api/register', { ...registration, email: newEmail(), ...given })

const login = (email: string, password: string, from: Browser = portal.browser()) =>
  from.post('/api/login', { email, password })

/** Another browser with the same cookies, as if they had been copied. */
function copyOf({ cookies }: Browser): Browser {
  const copy = portal.browser()
  for (const [name, value] of cookies) copy.cookies.set(name, value)
  return copy
}

async function isSignedIn(visitor: Browser): Promise<boolean> {
  const { status } = await visitor.get('/api/user', await portal.atEnd())
  // A fault does not count as an ended session.
  if (status !== 200 && status !== 401) throw new Error(`GET /api/user answered ${status}`)
  return status === 200
}

const typesOf = async (stream: string): Promise<string[]> => (await portal.events(stream)).map(({ type }) => type)
const userTypesOf = async (id: string): Promise<string[]> => (await portal.userEvents(id)).map(({ type }) => type)

const FIRST_EVENTS = ['EmailClaimed', 'UserRegistered', 'AccountAssigned', 'AccountOpened']

/** An answer as a client sees it, without values that differ between requests. */
function looks({ status, text, headers }: Answer) {
  const changing = new Set(['date', 'x-request-id'])
  return { status, text, headers: [...headers].filter(([name]) => !changing.has(name)) }
}

/** Work and what it took, in ms. */
interface Taken {
  readonly elapsed: number
  /** Of the processor, in all threads; other work of the machine does not count. */
  readonly processor: number
}

async function measured(work: () => Promise<unknown>): Promise<Taken> {
  const [began, before] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { elapsed: performance.now() - began, processor: (user + system) / 1_000 }
}

const median = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

describe('POST /api/register', () => {
  const lines: readonly (readonly [field: string, value: unknown, message: string])[] = [
    ['fullName', 'A', 'Full name must be at least 2 characters'],
    ['fullName', ' A ', 'Full name must be at least 2 characters'],
    ['fullName', undefined, 'Full name must be at least 2 characters'],
    ['email', 'nobody', 'Please enter a valid email'],
    ['email', undefined, 'Please enter a valid email'],
    ['password', '1234567', 'Password must be at least 8 characters'],
    ['password', undefined, 'Password must be at least 8 characters'],
    ['password', 'x'.repeat(101), 'Password is too long'],
    ['confirmPassword', '', 'Please confirm your password'],
    ['confirmPassword', 'another password', 'Passwords do not match'],
    ['privacyPolicyAgreed', false, 'You must agree to the privacy policy'],
    ['privacyPolicyAgreed', undefined, 'You must agree to the privacy policy'],
    ['country', '', 'Required'],
    ['city', ' ', 'Required'],
    ['street', undefined, 'Required'],
    ['houseNumber', 12, 'Invalid input'],
  ]

  it.each(lines)('refuses %s %j with "%s" and records nothing', async (field, value, message) => {
    const before = await portal.events()
    const answer = await register({ [field]: value })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ message, errors: { [field]: message } })
    expect(await portal.events()).toHaveLength(before.length)
  })

  it('refuses a name that reorders the line it stands in, and says which character does', async () => {
    const before = await portal.events()
    const message = 'There is an invisible character here (U+202E). Please type this again instead of pasting it'
    for (const [field, value] of [
      ['fullName', 'Ada \u202Emoc.elpmaxe@olr'],
      ['city', 'Lon\u202Edon'],
    ] as const)
      expect(await register({ [field]: value })).toMatchObject({
        status: 400,
        body: { message, errors: { [field]: message } },
      })
    expect(await portal.events()).toHaveLength(before.length)
    expect((await register({ fullName: 'علی\u200Cرضا 👩🏽\u200D🚀' })).status).toBe(201)
  })

  it("reports every field's message, and the first as the overall one", async () => {
    const { status, body } = await portal.browser().post('/api/register', {})
    expect(status).toBe(400)
    expect(body).toEqual({
      message: 'Full name must be at least 2 characters',
      errors: {
        fullName: 'Full name must be at least 2 characters',
        email: 'Please enter a valid email',
        password: 'Password must be at least 8 characters',
        privacyPolicyAgreed: 'You must agree to the privacy policy',
        country: 'Required',
        city: 'Required',
        street: 'Required',
        houseNumber: 'Required',
      },
    })
  })

  it('answers 201 with the user, now signed in', async () => {
    const ada = portal.browser()
    const email = newEmail()
    const answer = await register({ email }, ada)
    expect(answer.status).toBe(201)
    const { fullName, country, city, street, houseNumber } = registration
    const profile = { fullName, email, country, city, street, houseNumber }
    expect(answer.body).toMatchObject({ ...profile, privacyPolicyAgreed: true, banned: false, banReason: null })
    const current = await ada.get('/api/user')
    expect(current.status).toBe(200)
    expect(current.body).toEqual(answer.body)
  })

  it('opens an account with the defaults of a new user', async () => {
    const ada = await portal.trader()
    const { body } = await ada.get('/api/user/account')
    expect(body).toEqual({
      id: `${ada.id}-a1`,
      open: true,
      balance: '0.00',
      profitLoss: '0.00',
      profitTarget: null,
      programme: null,
      dailyDrawdownLimit: null,
      overallLossLimit: null,
      status: 'pending',
      phase: null,
      platform: null,
      login: null,
      masterPassword: null,
      payout: null,
      server: null,
      payoutEnabled: false,
      stamps: {
        status: expect.objectContaining({ by: 'trader' }),
        phase: null,
        limits: null,
        dailyDrawdownLimit: null,
        overallLossLimit: null,
        profitTarget: null,
        payouts: null,
      },
    })
  })

  it('records actor, cause and correlation', async () => {
    const before = await portal.events()
    const answer = await register()
    const { id } = User.parse(answer.body)
    const [claimed, registered, assigned, opened, ...more] = (await portal.events()).slice(before.length)
    expect(more).toEqual([])
    expect([claimed, registered, assigned, opened].map((event) => event?.type)).toEqual(FIRST_EVENTS)
    expect(registered?.stream).toBe(`user-${id}`)
    expect(opened?.stream).toBe(`account-${id}-a1`)
    const requestId = answer.headers.get('x-request-id')
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
    for (const entry of [claimed, registered, assigned, opened])
      expect(entry?.metadata).toMatchObject({ actor: { kind: 'trader', id }, requestId, correlationId: requestId })
    expect(registered?.metadata.causationId).toBe(requestId)
    expect(opened?.metadata.causationId).toBe(assigned?.id)
  })

  it('answers 409 for a registered email, whatever its case and blanks', async () => {
    const { email } = await portal.trader()
    const before = await portal.events()
    for (const same of [email, email.toUpperCase(), ` ${email} `]) {
      const { status, body } = await register({ email: same })
      expect(status).toBe(409)
      expect(body).toEqual({
        message: 'This email is already registered',
        errors: { email: 'This email is already registered' },
      })
    }
    expect(await portal.events()).toHaveLength(before.length)
  })

  it('creates one user from twenty simultaneous sign-ups', async () => {
    const email = newEmail()
    const before = await portal.events()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => register({ email: i % 2 === 0 ? email : email.toUpperCase() })),
    )
    const made = answers.filter(({ status }) => status === 201)
    expect(made).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(answers.length - 1)
    const types = (await portal.events()).slice(before.length).map(({ type }) => type)
    expect(types).toEqual(FIRST_EVENTS)
    expect((await login(email, registration.password)).status).toBe(200)
  })

  it('ignores unknown fields', async () => {
    const ada = portal.browser()
    const answer = await register(
      {
        id: 'chosenbymyself00',
        banned: true,
        banReason: 'why not',
        payoutEnabled: true,
        balance: '1000000',
        status: 'active',
        phase: 'Funded',
        role: 'admin',
        isAdmin: true,
        createdAt: '1999-01-01T00:00:00Z',
        passwordHash: 'none',
        tradingAccount: { payoutEnabled: true },
      },
      ada,
    )
    expect(answer.status).toBe(201)
    const user = User.parse(answer.body)
    expect(user.id).not.toBe('chosenbymyself00')
    expect(user).toMatchObject({ banned: false, banReason: null })
    expect(user.createdAt).not.toMatch(/^1999/)
    const { body: account } = await ada.get('/api/user/account')
    expect(account).toMatchObject({ payoutEnabled: false, balance: '0.00', status: 'pending', phase: null })
    expect((await ada.get('/api/admin/stats')).status).toBe(401)
    expect(await userTypesOf(user.id)).toEqual(['UserRegistered'])
    expect(await typesOf(`account-${user.id}-a1`)).toEqual(['AccountOpened'])
  })

  it('neither trims nor truncates passwords', async () => {
    const spaced = '  spaces around  '
    const long = `${'é😀'.repeat(33)}!`
    expect(long).toHaveLength(100)
    for (const password of [spaced, long]) {
      const { email } = await portal.trader({ password })
      expect((await login(email, password)).status).toBe(200)
      expect((await login(email, password.trim().slice(0, -1))).status).toBe(401)
    }
    const { email } = await portal.trader({ password: spaced })
    expect((await login(email, spaced.trim())).status).toBe(401)
  })
})

describe('POST /api/login', () => {
  it('signs in, whatever the case of the email', async () => {
    const { email, id } = await portal.trader()
    const ada = portal.browser()
    const answer = await login(` ${email.toUpperCase()}`, registration.password, ada)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ id, email })
    expect((await ada.get('/api/user', await portal.atEnd())).body).toEqual(answer.body)
  })

  it('takes an address of other letters as it is written or as the network has it', async () => {
    const trader = await portal.trader()
    const name = `a&b.${trader.id}`
    expect((await trader.patch('/api/user/profile', { email: `${name}@пример.рф` })).status).toBe(200)
    for (const domain of ['пример.рф', 'ПРИМЕР.рф', 'xn--e1afmkfd.xn--p1ai']) {
      const { password } = trader
      expect(await portal.browser().post('/api/login', { email: `${name}@${domain}`, password })).toMatchObject({
        status: 200,
        body: { email: `${name}@xn--e1afmkfd.xn--p1ai` },
      })
    }
  })

  it.each([
    [{ email: 'nobody', password: 'x' }, { email: 'Please enter a valid email' }],
    [{ email: 'ada@example.com', password: '' }, { password: 'Password is required' }],
    [{ email: 'ada@example.com' }, { password: 'Password is required' }],
    [{}, { email: 'Please enter a valid email', password: 'Password is required' }],
  ])('refuses %j', async (credentials, errors) => {
    const { status, body } = await portal.browser().post('/api/login', credentials)
    expect(status).toBe(400)
    expect(body).toEqual({ message: Object.values(errors)[0], errors })
  })

  it('answers a wrong password and an unknown email alike', async () => {
    const { email } = await portal.trader()
    const wrong = await login(email, 'wrong password')
    const unknown = await login(newEmail(), 'wrong password')
    expect(wrong.status).toBe(401)
    expect(looks(unknown)).toEqual(looks(wrong))
    expect(wrong.headers.getSetCookie()).toEqual([])
  })

  it('takes as long for an unknown email as for a wrong password', async () => {
    const real = await openPortal({ realHashes: true })
    try {
      const { email } = await real.trader()
      const [wrong, unknown]: [number[], number[]] = [[], []]
      for (let round = 0; round < 15; round++)
        for (const [times, by] of [
          [wrong, email],
          [unknown, newEmail()],
        ] as const)
          times.push((await measured(() => login(by, 'wrong password', real.browser()))).processor)
      // Without hashing, an unknown email would take a tenth of the time.
      const ratio = median(unknown) / median(wrong)
      expect(ratio).toBeGreaterThan(0.5)
      expect(ratio).toBeLessThan(2)
    } finally {
      await real.stop()
    }
  })

  it('does not sign in a user without a password', async () => {
    const admin = await portal.admin()
    const email = newEmail()
    expect((await admin.post('/api/admin/users', { fullName: 'Grace Hopper', email })).status).toBe(201)
    const answer = await login(email, 'any password')
    expect(looks(answer)).toEqual(looks(await login(newEmail(), 'any password')))
  })

  it('shows a ban only after the right password', async () => {
    const ada = await portal.trader()
    const admin = await portal.admin()
    await admin.patch(`/api/admin/user/${ada.id}/ban`, { banned: true, banReason: 'Copied trades' })
    const right = portal.browser()
    const answer = await login(ada.email, ada.password, right)
    expect(answer.status).toBe(403)
    expect(answer.body).toEqual({
      banned: true,
      message: 'Your account has been banned: Copied trades',
      banReason: 'Copied trades',
    })
    expect(right.cookies.has(SESSION_COOKIE)).toBe(false)
    expect(looks(await login(ada.email, 'wrong password'))).toEqual(looks(await login(newEmail(), 'wrong password')))
  })

  it("answers a banned user's open session with 403 until unbanned", async () => {
    const ada = await portal.trader()
    const admin = await portal.admin()
    await admin.patch(`/api/admin/user/${ada.id}/ban`, { banned: true, banReason: 'Copied trades' })
    const calls = allRoutes.filter(({ access }) => access === 'trader')
    expect(calls.length).toBeGreaterThan(0)
    const before = await portal.events()
    for (const { method, path } of calls) {
      const { status, body } = method === 'get' ? await ada.get(path) : await ada[method](path, {})
      expect([path, status]).toEqual([path, 403])
      expect(body).toEqual({
        banned: true,
        message: 'Your account has been banned: Copied trades',
        banReason: 'Copied trades',
      })
    }
    expect(await portal.events()).toHaveLength(before.length)
    await admin.patch(`/api/admin/user/${ada.id}/ban`, { banned: false })
    expect(await isSignedIn(ada)).toBe(true)
    expect((await login(ada.email, ada.password)).status).toBe(200)
  })

  it('issues a new session id and ends the previous session', async () => {
    const ada = await portal.trader()
    const before = copyOf(ada)
    await login(ada.email, ada.password, ada)
    expect(ada.cookies.get(SESSION_COOKIE)).not.toBe(before.cookies.get(SESSION_COOKIE))
    expect(await isSignedIn(ada)).toBe(true)
    expect(await isSignedIn(before)).toBe(false)
  })

  it('never adopts a planted session id', async () => {
    const { email, password } = await portal.trader()
    const [victim, thief] = [portal.browser(), portal.browser()]
    for (const { cookies } of [victim, thief]) cookies.set(SESSION_COOKIE, 'planted')
    await login(email, password, victim)
    expect(victim.cookies.get(SESSION_COOKIE)).not.toBe('planted')
    expect(await isSignedIn(victim)).toBe(true)
    expect(await isSignedIn(thief)).toBe(false)
  })

  it('stores no session id in clear', async () => {
    const ada = await portal.trader()
    const id = ada.cookies.get(SESSION_COOKIE) ?? ''
    expect(Buffer.from(id, 'base64url').length * 8).toBeGreaterThanOrEqual(128)
    expect(await filesContaining(id, portal.dataDir)).toEqual([])
  })
})

describe('POST /api/logout', () => {
  it('ends the session on the server too', async () => {
    const ada = await portal.trader()
    const copy = copyOf(ada)
    expect(await isSignedIn(copy)).toBe(true)
    expect((await ada.post('/api/logout')).status).toBe(200)
    expect(ada.cookies.has(SESSION_COOKIE)).toBe(false)
    expect((await copy.get('/api/user')).status).toBe(401)
  })

  it("keeps the user's other sessions", async () => {
    const ada = await portal.trader()
    const other = portal.browser()
    await login(ada.email, ada.password, other)
    await ada.post('/api/logout')
    expect(await isSignedIn(other)).toBe(true)
    expect((await portal.browser().post('/api/logout')).status).toBe(200)
  })
})

describe('cookies', () => {
  const cookiesOf = (...answers: readonly Answer[]) => answers.flatMap(({ headers }) => headers.getSetCookie())

  it('are HttpOnly and SameSite', async () => {
    const ada = portal.browser()
    const email = newEmail()
    const admin = portal.browser()
    const cookies = cookiesOf(
      await register({ email }, ada),
      await login(email, registration.password, ada),
      await admin.post('/api/admin/login', { accessKey: portal.adminKey }),
      await ada.post('/api/logout'),
    )
    expect(cookies.some((cookie) => cookie.startsWith(`${SESSION_COOKIE}=`))).toBe(true)
    expect(cookies.some((cookie) => cookie.startsWith(`${ADMIN_COOKIE}=`))).toBe(true)
    for (const cookie of cookies) {
      expect(cookie).toMatch(/; HttpOnly/)
      expect(cookie).toMatch(/; SameSite=(Lax|Strict)/)
      expect(cookie).toMatch(/; Path=\/(;|$)/)
      expect(cookie).not.toMatch(/; (Domain|Secure)/)
    }
  })

  it('have the __Host- prefix over HTTPS, with HSTS', async () => {
    const secure = await openPortal({ environment: { PUBLIC_URL: 'https://portal.example.com' } })
    try {
      const ada = await secure.trader()
      const { email, password } = ada
      const admin = secure.browser()
      const answers = [
        await secure.browser().post('/api/register', { ...registration, email: newEmail() }),
        await ada.post('/api/login', { email, password }),
        await admin.post('/api/admin/login', { accessKey: secure.adminKey }),
      ]
      const cookies = cookiesOf(...answers)
      for (const name of [SESSION_COOKIE, ADMIN_COOKIE])
        expect(cookies.some((cookie) => cookie.startsWith(`__Host-${name}=`))).toBe(true)
      for (const cookie of cookies) {
        expect(cookie).toMatch(/^__Host-/)
        expect(cookie).toMatch(/; Path=\/;.*; HttpOnly; Secure; SameSite=/)
        expect(cookie).not.toMatch(/; Domain/)
      }
      for (const { headers } of answers) expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/)
      // The cookies work: the next read sees the change, and signing out ends the session.
      expect((await ada.patch('/api/user/profile', { city: 'Paris' })).status).toBe(200)
      expect((await ada.get('/api/user')).body).toMatchObject({ city: 'Paris' })
      expect((await admin.get('/api/admin/stats')).status).toBe(200)
      await ada.post('/api/logout')
      expect((await ada.get('/api/user')).status).toBe(401)
    } finally {
      await secure.stop()
    }
  })
})

describe('the limits of a session', () => {
  let folder: string
  let store: SessionStore
  let sessions: Sessions
  let server: Server
  let url: string
  let now: number

  /** Only sessions over HTTP, with an adjustable clock. */
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'proofdesk-sessions-'))
    store = openSqliteSessionStore(join(folder, 'sessions.sqlite'))
    now = Date.parse('2030-01-01T00:00:00Z')
    sessions = createSessions(store, {
      secrets: deriveSecrets('a master key for tests of 32 characters'),
      onForgedRow: (id) => expect.fail(`${id} is forged`),
      secure: false,
      now: () => now,
    })
    const app = express()
    app.post('/:kind', async (request, response) => {
      await sessions.start(request, response, kindOf(request.params.kind), 'visitor')
      response.json({})
    })
    app.get('/:kind', async (request, response) => {
      const session = await sessions.fromRequest(request, kindOf(request.params.kind))
      if (session) await sessions.recordUse(session)
      response.json({ subject: session?.subject ?? null })
    })
    app.get('/:kind/end', async (request, response) => {
      response.json((await sessions.endOf(request, kindOf(request.params.kind))) ?? null)
    })
    server = createServer(app).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    url = `http://127.0.0.1:${portOf(server)}`
  })
  afterEach(async () => {
    await new Promise((resolve) => server.close(resolve))
    await store.close()
    await rm(folder, { recursive: true })
  })

  const kindOf = (text: string): SessionKind => (text === 'admin' ? 'admin' : 'trader')
  const holder = async (visitor: Browser, kind: SessionKind) => (await visitor.get(`/${kind}`)).body

  it('ends the longest unused session of a person who has too many', async () => {
    const browsers = Array.from({ length: limits.sessions.perPerson + 2 }, () => browser(url))
    for (const visitor of browsers) {
      now += 1
      await visitor.post('/trader')
    }
    const signedIn = await Promise.all(
      browsers.map(async (visitor) => JSON.stringify(await holder(visitor, 'trader')).includes('visitor')),
    )
    expect(signedIn).toEqual(browsers.map((_, number) => number >= 2))
  })

  it.each(['trader', 'admin'] as const)('ends an idle session of a %s on the server', async (kind) => {
    const { idle } = lifetimes[kind]
    const visitor = browser(url)
    await visitor.post(`/${kind}`)
    now += idle
    expect(await holder(visitor, kind)).toEqual({ subject: 'visitor' })
    now += idle + 1
    expect(await holder(visitor, kind)).toEqual({ subject: null })
    // Turning the clock back does not revive it.
    now -= idle
    expect(await holder(visitor, kind)).toEqual({ subject: null })
  })

  it.each(['trader', 'admin'] as const)('ends an old session of a %s, however often it is used', async (kind) => {
    const { idle, absolute } = lifetimes[kind]
    const visitor = browser(url)
    await visitor.post(`/${kind}`)
    const end = now + absolute
    while (now + idle / 2 < end) {
      now += idle / 2
      expect(await holder(visitor, kind)).toEqual({ subject: 'visitor' })
    }
    now = end + 1
    expect(await holder(visitor, kind)).toEqual({ subject: null })
  })

  it.each(['trader', 'admin'] as const)('tells a %s an expired session from one that was ended', async (kind) => {
    const endFor = async (visitor: Browser) => (await visitor.get(`/${kind}/end`)).body
    const [ended, unused, stranger] = [browser(url), browser(url), browser(url)]
    expect(await endFor(stranger)).toBeNull()
    for (const visitor of [ended, unused]) await visitor.post(`/${kind}`)
    await sessions.endAll(kind, 'visitor', (await store.list(kind, 'visitor')).at(-1))
    const kept = await Promise.all([ended, unused].map((visitor) => holder(visitor, kind)))
    expect(kept).toContainEqual({ subject: null })
    now += lifetimes[kind].idle + 1
    await purgeSessions(store, now)
    const ends = await Promise.all([ended, unused].map(endFor))
    expect(ends.toSorted()).toEqual(['session-ended', 'session-expired'])
    // It is the same for each of several requests, of which the first removes the session.
    for (const visitor of [ended, unused]) await holder(visitor, kind)
    expect(await Promise.all([ended, unused].map(endFor))).toEqual(ends)
    // Nothing is said of a cookie that was made up.
    stranger.cookies.set(kind === 'admin' ? ADMIN_COOKIE : SESSION_COOKIE, 'A'.repeat(43))
    expect(await endFor(stranger)).toBe('session-ended')
  })

  it('is over for a live stream once it is idle or suspended; to ask is no use of it', async () => {
    await browser(url).post('/trader')
    const open = await store.list('trader', 'visitor')
    now += lifetimes.trader.idle
    expect(await sessions.overAmong(open)).toEqual([])
    await store.suspend('trader', 'visitor', { reason: 'For a test' })
    expect(await sessions.overAmong(open)).toEqual(open)
    await store.suspend('trader', 'visitor', null)
    now += 1
    expect(await sessions.overAmong(open)).toEqual(open)
  })

  it("accepts no trader's session as an administrator's", async () => {
    const visitor = browser(url)
    await visitor.post('/trader')
    visitor.cookies.set(ADMIN_COOKIE, visitor.cookies.get(SESSION_COOKIE) ?? '')
    expect(await holder(visitor, 'admin')).toEqual({ subject: null })
    expect(await holder(visitor, 'trader')).toEqual({ subject: 'visitor' })
  })
})

describe('a forgotten password', () => {
  const NEW_PASSWORD = 'a new password'
  const forgot = (email: string) => portal.browser().post('/api/forgot-password', { email })
  const reset = (token: string, password = NEW_PASSWORD, from: Browser = portal.browser()) =>
    from.post('/api/reset-password', { token, password })
  /** Requests a link and waits for its mail. */
  const newToken = async (email: string): Promise<string> => {
    const hasLink = ({ text }: Email) => text?.includes('/reset-password?token=') ?? false
    const before = new Set((await portal.mails(email)).filter(hasLink).map(tokenOf))
    await forgot(email)
    return tokenOf(await portal.mailWith(email, (mail) => hasLink(mail) && !before.has(tokenOf(mail))))
  }

  it('gets identical answers for known and unknown emails', async () => {
    const { email } = await portal.trader()
    const known = await forgot(email)
    expect(known.status).toBe(200)
    expect(looks(await forgot(newEmail()))).toEqual(looks(known))
    expect(known.headers.getSetCookie()).toEqual([])
  })

  it('answers a known and an unknown email after the same fixed time', async () => {
    const { email } = await portal.trader()
    // Only a known email waits for the disk, for far less: without a fixed duration that would show.
    for (const address of [email, newEmail()])
      expect((await measured(() => forgot(address))).elapsed).toBeGreaterThanOrEqual(MIN_RESPONSE_MS - 1)
  })

  it('requires a valid email', async () => {
    for (const body of [{}, { email: 'nobody' }]) {
      const answer = await portal.browser().post('/api/forgot-password', body)
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual({
        message: 'Please enter a valid email address',
        errors: { email: 'Please enter a valid email address' },
      })
    }
  })

  it("is replaced through the mailed link, whatever the email's case", async () => {
    const ada = await portal.trader()
    await forgot(ada.email.toUpperCase())
    const [mail] = await portal.mailsTo(ada.email, 1)
    if (!mail) throw new Error('No mail')
    const answer = await reset(tokenOf(mail))
    expect(answer.status).toBe(200)
    expect((await login(ada.email, NEW_PASSWORD)).status).toBe(200)
    expect((await login(ada.email, ada.password)).status).toBe(401)
    const events = await portal.userEvents(ada.id)
    expect(events.map(({ type }) => type)).toEqual(['UserRegistered', 'PasswordResetRequested', 'PasswordReset'])
    expect(events.at(-1)?.metadata).toMatchObject({
      actor: { kind: 'trader', id: ada.id },
      requestId: answer.headers.get('x-request-id'),
    })
  })

  it('neither mails nor records anything for an unknown email', async () => {
    const before = await portal.events()
    const unknown = newEmail()
    await forgot(unknown)
    expect(await portal.events()).toHaveLength(before.length)
    // The outbox is ordered: once a later mail arrives, an earlier one would have too.
    await newToken((await portal.trader()).email)
    expect(await portal.mails(unknown)).toEqual([])
  })

  it('can be set once with a link', async () => {
    const { email } = await portal.trader()
    const token = await newToken(email)
    expect((await reset(token)).status).toBe(200)
    const again = await reset(token, 'yet another password')
    expect(again.status).toBe(400)
    expect(again.body).toMatchObject({ errors: { token: expect.any(String) } })
    expect((await login(email, NEW_PASSWORD)).status).toBe(200)
  })

  it('can be set once by ten simultaneous requests', async () => {
    const { email, id } = await portal.trader()
    const token = await newToken(email)
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => reset(token, `new password ${i}`)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(answers.length - 1)
    expect((await userTypesOf(id)).filter((type) => type === 'PasswordReset')).toHaveLength(1)
    expect((await login(email, `new password ${answers.findIndex(({ status }) => status === 200)}`)).status).toBe(200)
  })

  it('can be set with an earlier link after somebody else asked for another one, and ends both', async () => {
    const { email } = await portal.trader()
    const older = await newToken(email)
    const newer = await newToken(email)
    expect((await reset(older)).status).toBe(200)
    expect((await reset(newer)).status).toBe(400)
  })

  it('cannot be set with a forged token', async () => {
    const { email, id } = await portal.trader()
    const token = await newToken(email)
    const [owner = '', secret = ''] = token.split('.')
    expect(Buffer.from(secret, 'base64url').length * 8).toBeGreaterThanOrEqual(128)
    const other = await portal.trader()
    const madeUp = [
      'nonsense',
      owner,
      `${owner}.`,
      `.${secret}`,
      `${other.id}.${secret}`,
      `${token}x`,
      hashToken(token),
      `${id}.${hashToken(token)}`,
    ]
    for (const wrong of madeUp) expect([wrong, (await reset(wrong)).status]).toEqual([wrong, 400])
    for (const body of [{ password: NEW_PASSWORD }, { token: '', password: NEW_PASSWORD }]) {
      const answer = await portal.browser().post('/api/reset-password', body)
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual({ message: 'Invalid reset token', errors: { token: 'Invalid reset token' } })
    }
    expect((await reset(token)).status).toBe(200)
  })

  it('cannot be set with a link older than an hour', async () => {
    const ada = await portal.trader()
    await newToken(ada.email)
    const [, request] = await portal.userEvents(ada.id)
    if (request?.type !== 'PasswordResetRequested') throw new Error('No link was asked for')
    const lives = request.data.expiresAt - request.at
    expect(Math.round(lives / 60_000)).toBe(60)

    // The same link just after its hour.
    const token = `${ada.id}.${'old'.repeat(10)}`
    const old = { token, tokenHash: hashToken(token), expiresAt: Date.now() }
    const { repositories } = portal.running.parts
    await repositories
      .of(userStreams)
      .decide(userId.parse(ada.id), systemContext('test', 'test'), (user) => requestPasswordReset(user, old))
    const answer = await reset(token)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ errors: { token: expect.any(String) } })
    expect((await login(ada.email, ada.password)).status).toBe(200)
  })

  it('refuses short passwords without using up the link', async () => {
    const { email } = await portal.trader()
    const token = await newToken(email)
    const answer = await reset(token, '1234567')
    expect(answer.status).toBe(400)
    const message = 'Password must be at least 8 characters'
    expect(answer.body).toEqual({ message, errors: { password: message } })
    expect((await reset(token)).status).toBe(200)
  })

  it('ends all sessions when it is reset, including the current one', async () => {
    const ada = await portal.trader()
    const other = portal.browser()
    await login(ada.email, ada.password, other)
    const copies = [copyOf(ada), copyOf(other)]
    const token = await newToken(ada.email)
    await reset(token, NEW_PASSWORD, ada)
    for (const visitor of [ada, other, ...copies]) expect(await isSignedIn(visitor)).toBe(false)
  })

  it('rejects the old password while it is being reset', async () => {
    const ada = await portal.trader()
    const token = await newToken(ada.email)
    expect(await sessionsThatOutlive(ada, () => reset(token))).toEqual([])
  })

  // The disks of servers cannot be searched.
  it.skipIf(isExternal('eventstore') || isExternal('smtp'))('leaves its token in no file but the mail', async () => {
    const ada = await portal.trader()
    const token = await newToken(ada.email)
    const [, secret = ''] = token.split('.')
    for (const text of [secret, ada.password, '$argon2']) expect(await outsideOutbox(text)).toEqual([])
    // The search finds what does exist.
    expect(await outsideOutbox(ada.id)).not.toEqual([])
    expect(await filesContaining('Content-Type', join(portal.dataDir, 'outbox'))).not.toEqual([])
  })
})

describe('the welcome link of a user created by an administrator', () => {
  it('sets the password once, and the user can then sign in', async () => {
    const admin = await portal.admin()
    const email = newEmail()
    const created = await admin.post('/api/admin/users', { fullName: 'Grace Hopper', email })
    const { id } = User.parse(created.body)
    const [mail] = await portal.mailsTo(email, 1)
    if (!mail) throw new Error('No mail')
    const token = tokenOf(mail)
    const set = (password: string) => portal.browser().post('/api/reset-password', { token, password })
    expect((await set('short')).status).toBe(400)
    expect((await set('her own password')).status).toBe(200)
    expect((await set('visitor else was here')).status).toBe(400)

    const grace = portal.browser()
    const answer = await login(email, 'her own password', grace)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ id, fullName: 'Grace Hopper', email })
    expect((await grace.get('/api/user/account')).body).toMatchObject({
      status: 'pending',
      balance: '0.00',
      payoutEnabled: false,
    })
    expect(await userTypesOf(id)).toEqual(['UserCreated', 'PasswordReset'])
    const [, secret = ''] = token.split('.')
    expect(await outsideOutbox(secret)).toEqual([])
    if (!isExternal('eventstore')) expect(await outsideOutbox(id), 'the search does find what is there').not.toEqual([])
  })

  it('works after somebody else asked for resets, and ends theirs', async () => {
    const admin = await portal.admin()
    const email = newEmail()
    await admin.post('/api/admin/users', { fullName: 'Grace Hopper', email })
    const [welcome] = await portal.mailsTo(email, 1)
    for (let requests = 0; requests < 3; requests++) await portal.browser().post('/api/forgot-password', { email })
    const mails = await portal.mailsTo(email, 4)
    if (!welcome) throw new Error('No mail')
    const own = tokenOf(welcome)
    const theirs = mails.map(tokenOf).filter((token) => token !== own)
    expect(theirs).toHaveLength(3)
    const set = async (token: string) =>
      (await portal.browser().post('/api/reset-password', { token, password: 'her own password' })).status
    expect(await set(own)).toBe(200)
    expect(await Promise.all(theirs.map(set))).toEqual([400, 400, 400])
  })
})

describe('POST /api/user/change-password', () => {
  const change = (
    from: Browser,
    currentPassword: unknown,
    newPassword: unknown,
    confirmPassword: unknown = newPassword,
  ) => from.post('/api/user/change-password', { currentPassword, newPassword, confirmPassword })

  it('refuses a wrong current password with 400', async () => {
    const ada = await portal.trader()
    const answer = await change(ada, 'wrong password', 'a new password')
    expect(answer.status).toBe(400)
    const message = 'Your current password is not correct'
    expect(answer.body).toEqual({ message, errors: { currentPassword: message } })
    expect(await userTypesOf(ada.id)).toEqual(['UserRegistered'])
    expect((await login(ada.email, ada.password)).status).toBe(200)
  })

  it.each([
    ['currentPassword', '', 'a new password', 'a new password', 'Current password is required'],
    ['newPassword', registration.password, '1234567', '1234567', 'New password must be at least 8 characters'],
    ['newPassword', registration.password, 'x'.repeat(101), 'x'.repeat(101), 'New password is too long'],
    ['confirmPassword', registration.password, 'a new password', 'another password', 'Passwords do not match'],
    ['confirmPassword', registration.password, 'a new password', null, 'Passwords do not match'],
  ])('refuses a wrong %s (%j, %j, %j) with "%s"', async (field, current, wanted, confirmed, message) => {
    const ada = await portal.trader()
    const answer = await change(ada, current, wanted, confirmed)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ message, errors: { [field]: message } })
    expect(await userTypesOf(ada.id)).toEqual(['UserRegistered'])
  })

  it("ends the user's other sessions and keeps the current one", async () => {
    const ada = await portal.trader()
    const other = portal.browser()
    await login(ada.email, ada.password, other)
    const stranger = await portal.trader()
    const answer = await change(ada, ada.password, 'a new password')
    expect(answer.status).toBe(200)
    expect(await isSignedIn(ada)).toBe(true)
    expect(await isSignedIn(other)).toBe(false)
    expect(await isSignedIn(stranger)).toBe(true)
    expect((await login(ada.email, ada.password)).status).toBe(401)
    expect((await login(ada.email, 'a new password')).status).toBe(200)
    const events = await portal.userEvents(ada.id)
    expect(events.map(({ type }) => type)).toEqual(['UserRegistered', 'PasswordChanged'])
    expect(events.at(-1)?.metadata).toMatchObject({
      actor: { kind: 'trader', id: ada.id },
      requestId: answer.headers.get('x-request-id'),
    })
  })

  it('invalidates a pending reset link', async () => {
    const ada = await portal.trader()
    await portal.browser().post('/api/forgot-password', { email: ada.email })
    const [mail] = await portal.mailsTo(ada.email, 1)
    if (!mail) throw new Error('No mail')
    await change(ada, ada.password, 'a new password')
    const answer = await portal
      .browser()
      .post('/api/reset-password', { token: tokenOf(mail), password: 'the thief was here' })
    expect(answer.status).toBe(400)
  })

  it('takes effect once for two simultaneous changes', async () => {
    const ada = await portal.trader()
    const wanted = ['the first password', 'the second password']
    const answers = await Promise.all(wanted.map((password) => change(ada, ada.password, password)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    const works = await Promise.all(wanted.map(async (password) => (await login(ada.email, password)).status === 200))
    expect(works).toEqual(answers.map(({ status }) => status === 200))
  })

  it('rejects the old password while it is being changed', async () => {
    const ada = await portal.trader()
    expect(await sessionsThatOutlive(ada, () => change(ada, ada.password, 'a new password'))).toEqual([])
    expect(await isSignedIn(ada)).toBe(true)
  })
})

/** Signs in repeatedly with the old password while it is replaced; returns the sessions alive afterwards. */
async function sessionsThatOutlive(
  owner: { readonly email: string; readonly password: string },
  replace: () => Promise<Answer>,
) {
  const signedIn: Browser[] = []
  let replaced = false
  const keepSigningIn = async () => {
    while (!replaced) {
      const visitor = portal.browser()
      const { status } = await login(owner.email, owner.password, visitor)
      if (status === 200) signedIn.push(visitor)
    }
  }
  const signingIn = [keepSigningIn(), keepSigningIn(), keepSigningIn()]
  try {
    await until(async () => signedIn.length > 0, 'visitor to be signed in')
    expect((await replace()).status).toBe(200)
  } finally {
    replaced = true
    await Promise.all(signingIn)
  }
  const alive = await Promise.all(signedIn.map(isSignedIn))
  return signedIn.filter((_, i) => alive[i])
}

/** The files of the portal that contain a text, without its mails. */
async function outsideOutbox(text: string): Promise<string[]> {
  return (await filesContaining(text, portal.dataDir)).filter((path) => !path.startsWith('outbox/'))
}
