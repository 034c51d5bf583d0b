import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN_COOKIE, SESSION_COOKIE } from '#services/framework/api/headers.ts'
import type { AdminRole } from '#services/identity/staff/staff-api.ts'
import { adminRoles } from '#services/identity/staff/staff-vocabulary.ts'
import { isPermission, mayRole } from '#services/identity/staff/permissions.ts'
import { allRoutes } from '#services/portal/routes.ts'
import { type NamedRoute, isOfPrograms } from '#services/framework/api/route.ts'
import { Case, CASE_FILE_FIELD } from '#services/trading/cases/case-api.ts'
import { Certificate, CERTIFICATE_TYPE } from '#services/trading/certificates/certificate-api.ts'
import { Batch } from '#services/payments/batches/batch-api.ts'
import { Finding } from '#services/trading/findings/finding-api.ts'
import { ImportAnswer } from '#services/trading/imports/import-api.ts'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { componentStates } from '#services/cli/health.ts'
import { embeddedPaths } from '#services/process/data-folder.ts'
import { revokeAdminKey, adminKeyStreams } from '#services/identity/staff/access-key.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { AccessKeys } from '#services/identity/staff/server/access-keys.ts'
import { type Answer, type Browser, browser, type RequestOptions } from '#test-support/http-client.ts'
import { after, eligibleTrader, pdf, programOf, read, uploadCertificate } from '#test-support/http-calls.ts'
import { tokenOf } from '#test-support/mail-links.ts'
import { newEmail, openPortal, type Portal, registration, type Trader } from '#test-support/portal.ts'
import { ADMIN_KEY, buildProgram, startProgram, temporaryFolder } from '#test-support/program.ts'
import { isExternal } from '#test-support/portal-stores.ts'
import { seal } from '#test-support/small-firm.ts'
import { statementForm } from '#test-support/statement-form.ts'
import { readLog } from '#test-support/stores.ts'
import { appendUnknownEvent } from '#test-support/unknown-event.ts'
import { until } from '#test-support/until.ts'

const MASTER_PASSWORD = 'the-master-password'

let portal: Portal
let admin: Browser
let auditor: Browser
/** A browser of each role. */
let members: Readonly<Record<AdminRole, Browser>>
/** A program whose key may everything that keys may. */
let program: Browser
let ada: Trader
/** A trader with a payout, a certificate and an account. */
let bob: Trader
let payout: string
let certificate: string
/** A released one with another payout of Bob's. */
let batch: string
/** One with a third payout of Bob's, which can still be changed. */
let openBatch: string
/** The number of Bob's first event. */
let event: string
/** An objection of Bob's, with a file. */
let objection: string
/** Of another trader, under a programme. */
let statement: string
let finding: string
const file = pdf()

beforeAll(async () => {
  // Passkeys need a host name.
  portal = await openPortal({ environment: { HOST: 'localhost' } })
  admin = await portal.admin()
  auditor = await portal.auditor()
  members = { admin, auditor, payouts: await portal.member('payouts'), support: await portal.member('support') }
  ada = await portal.trader()
  program = await programOf(portal, admin)
  bob = await eligibleTrader(portal, admin)
  await admin.patch(`/api/admin/user/${bob.id}/account`, {
    login: '700100',
    masterPassword: MASTER_PASSWORD,
    server: 'Demo',
  })
  payout = read(
    Payout,
    await bob.post('/api/user/payouts', { amount: '10', paymentMethod: 'bank', paymentDetails: 'IBAN GB29' }),
  ).id
  objection = await objected()
  batch = await newBatch()
  openBatch = await newBatch()
  await admin.post(`/api/admin/batches/${batch}/release`)
  certificate = read(Certificate, await uploadCertificate(admin, { userId: bob.id, file })).id
  statement = read(ImportAnswer, await previewOf(admin)).id
  finding = await breachFound()
  await portal.mailed()
  await seal(portal.running.parts)
  event = (await portal.events(`account-${bob.id}-a1`))[0]?.position ?? ''
}, 60_000)
afterAll(async () => portal.stop())

/** Bob objects to a rejected payout. */
async function objected(): Promise<string> {
  const request = { amount: '6', paymentMethod: 'skrill', paymentDetails: 'bob@mail.example' }
  const { id } = read(Payout, await bob.post('/api/user/payouts', request))
  await admin.patch(`/api/admin/payouts/${id}`, { status: 'rejected', adminNotes: 'No' })
  const about = { payout: id }
  const text = 'This payout follows from the terms.'
  const opened = read(Case, await bob.post('/api/user/cases', { account: `${bob.id}-a1`, about, text })).id
  const form = new FormData()
  form.append(CASE_FILE_FIELD, new Blob(['a;b'], { type: 'text/csv' }), 'trades.csv')
  await bob.send('POST', `/api/user/cases/${opened}/files`, form)
  return opened
}

/** A batch with an approved payout of Bob's. */
async function newBatch(): Promise<string> {
  const { id } = read(
    Payout,
    await bob.post('/api/user/payouts', { amount: '5', paymentMethod: 'skrill', paymentDetails: 'bob@mail.example' }),
  )
  await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved' })
  return read(Batch, await admin.post('/api/admin/batches', { format: 'csv', currency: 'USD', payouts: [id] })).id
}

/** Has staff read a statement, which nobody confirms. */
function previewOf(who: Browser): Promise<Answer> {
  const columns = { login: 'Login', id: 'Deal', openedAt: 'Opened', at: 'Closed', profit: 'Profit', volume: 'Volume' }
  const mapping = { delimiter: ';', decimal: ',', zone: 'UTC', dates: 'YYYY.MM.DD HH:mm:ss', server: 'Demo', columns }
  const row = '700300;D1;2026.03.02 09:00:00;2026.03.02 10:00:00;100,00;0,50'
  const form = statementForm(`Login;Deal;Opened;Closed;Profit;Volume\n${row}\n`, { kind: 'trades', mapping })
  return who.send('POST', '/api/admin/imports', form)
}

/** A finding that waits for a verdict. */
async function breachFound(): Promise<string> {
  const { id } = await portal.trader()
  await admin.post(`/api/admin/user/${id}/enrolments`, { programme: 'one-step-5000' })
  await admin.patch(`/api/admin/accounts/${id}-a1`, { login: '700200', server: 'Demo' })
  const answer = await admin.patch(`/api/admin/accounts/${id}-a1`, { balance: '1000.00' })
  const findings = read(Finding.array(), await admin.get('/api/admin/findings', after(answer)))
  const found = findings.find(({ account }) => account === `${id}-a1`)
  if (!found) throw new Error('Nothing was found')
  return found.id
}

/** A concrete path of a call, with Bob's ids. */
function addressOf({ path }: Pick<NamedRoute, 'path'>): string {
  const id = path.startsWith('/api/admin/user/')
    ? bob.id
    : path.startsWith('/api/admin/accounts/')
      ? `${bob.id}-a1`
      : path.includes('batches')
        ? path.endsWith('/preview')
          ? openBatch
          : batch
        : path.includes('imports')
          ? statement
          : path.includes('findings')
            ? finding
            : path.includes('payouts')
              ? payout
              : path.includes('certificates')
                ? certificate
                : path.includes('cases')
                  ? objection
                  : path.includes('programmes')
                    ? 'one-step-5000'
                    : bob.id
  return path
    .replace(':id', id)
    .replace(':number', event)
    .replace(':version', '1')
    .replace('*path', '0/000')
    .replace(':file', '1')
}

/** Makes the call about an unknown id. */
function callInVain(who: Browser, { method, path, upload }: NamedRoute): Promise<Answer> {
  if (upload) return who.send('POST', path, new FormData())
  return who.send(method.toUpperCase(), path.replace(':id', 'nobody0000000000'), '{}', json())
}

const staffRoutes = allRoutes.filter(({ access }) => isPermission(access))
const withAccess = (...access: readonly NamedRoute['access'][]) =>
  allRoutes.filter((route) => access.includes(route.access))
const isChange = ({ method }: NamedRoute) => method !== 'get'
const changes = allRoutes.filter(isChange)
const named = (routes: readonly NamedRoute[]) =>
  routes.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const)

/** Makes the call with a valid body. */
function call(who: Browser, route: NamedRoute, options: RequestOptions = {}): Promise<Answer> {
  const address = addressOf(route)
  if (route.upload) return who.send('POST', address, uploadForm(), options)
  return isChange(route)
    ? who.send(route.method.toUpperCase(), address, '{}', json(options))
    : who.get(address, options)
}

const json = ({ headers }: RequestOptions = {}): RequestOptions => ({
  headers: { 'content-type': 'application/json', ...headers },
})

function uploadForm(): FormData {
  const form = new FormData()
  form.append('name', 'Phase 1 passed')
  form.append('userId', bob.id)
  form.append('certificateFile', new Blob([file], { type: CERTIFICATE_TYPE }), 'certificate.pdf')
  return form
}

/** A browser that may make the call. */
function entitled({ access }: NamedRoute): Browser {
  if (isOfPrograms(access)) return program
  return access === 'trader' ? bob : isPermission(access) ? admin : portal.browser()
}

/** Runs an action that must append no event. */
async function appendingNothing<Result>(work: () => Promise<Result>): Promise<Result> {
  const { parts } = portal.running
  const before = await parts.eventStore.checkpointAtEnd()
  const result = await work()
  const { events } = await readLog(parts, before)
  // MailSent is appended at any time.
  expect(events.map(({ type }) => type).filter((type) => type !== 'MailSent')).toEqual([])
  return result
}

/** Calls that take effect, or change nothing, without content. */
const takesNothing = new Set(['endStaffSessions', 'changeFirm', 'removeLogo', 'dismissSetup'])

describe('access control', () => {
  it('covers every call that needs a session', () => {
    const programRoutes = allRoutes.filter(({ access }) => isOfPrograms(access))
    expect(
      staffRoutes.length + programRoutes.length + withAccess('trader', 'trader-or-any-admin', 'public').length,
    ).toBe(allRoutes.length)
    expect(staffRoutes.length).toBeGreaterThan(0)
  })

  it.each(named(staffRoutes))('%s is refused to anyone and to traders', async (_, route) => {
    await appendingNothing(async () => {
      for (const who of [portal.browser(), ada, bob]) expect((await call(who, route)).status).toBe(401)
    })
  })

  it.each(named(staffRoutes))(
    '%s is open to the roles of the table of permissions, and to no other',
    async (_, route) => {
      const { access } = route
      if (!isPermission(access)) throw new Error(`${route.name} is open to ${access}`)
      for (const role of adminRoles) {
        const who = members[role]
        if (!mayRole(role, access))
          expect([role, (await appendingNothing(() => call(who, route))).status]).toEqual([role, 403])
        else if (isChange(route)) {
          const { status } = await callInVain(who, route)
          // What second factors refuse to changes is the content, or to those who have none.
          const isFactor = route.path.includes('/factors')
          expect([role, route.name, status]).toEqual([
            role,
            route.name,
            takesNothing.has(route.name) ? 200 : expect.toBeOneOf(isFactor ? [200, 400, 404, 409] : [400, 404]),
          ])
        } else expect([role, (await call(who, route)).status]).toEqual([role, 200])
      }
    },
  )

  it.each(named(allRoutes.filter(({ access }) => isOfPrograms(access))))(
    '%s is refused to everyone without a key of a program',
    async (_, route) => {
      await appendingNothing(async () => {
        for (const who of [portal.browser(), ada, admin, auditor]) expect((await call(who, route)).status).toBe(401)
      })
    },
  )

  it.each(named(withAccess('trader')))('%s is refused to the signed-out and to administrators', async (_, route) => {
    await appendingNothing(async () => {
      for (const who of [portal.browser(), admin, auditor]) expect((await call(who, route)).status).toBe(401)
    })
  })

  it('accepts neither session kind as the other, nor the access key', async () => {
    const [asAdmin, asTrader, withKey] = [portal.browser(), portal.browser(), portal.browser()]
    asAdmin.cookies.set(ADMIN_COOKIE, bob.cookies.get(SESSION_COOKIE) ?? '')
    asTrader.cookies.set(SESSION_COOKIE, admin.cookies.get(ADMIN_COOKIE) ?? '')
    withKey.cookies.set(ADMIN_COOKIE, portal.adminKey)
    expect((await asAdmin.get('/api/admin/stats')).status).toBe(401)
    expect((await asTrader.get('/api/user')).status).toBe(401)
    expect((await withKey.get('/api/admin/stats')).status).toBe(401)
    expect(admin.cookies.get(ADMIN_COOKIE)).not.toContain(portal.adminKey)
  })

  it('ends the sessions of a revoked access key at once', async () => {
    const { repositories, secrets, sessionStore } = portal.running.parts
    const keys = new AccessKeys(repositories, secrets)
    const { id, accessKey } = await keys.issue('Gone soon', 'admin', 'test')
    const visitor = portal.browser()
    await visitor.post('/api/admin/login', { accessKey })
    expect((await visitor.get('/api/admin/stats')).status).toBe(200)
    await keys.revoke(id, 'test', sessionStore)
    expect((await visitor.get('/api/admin/stats')).status).toBe(401)
    expect((await visitor.post('/api/admin/users', { fullName: 'Nobody', email: newEmail() })).status).toBe(401)
    expect((await portal.browser().post('/api/admin/login', { accessKey })).status).toBe(401)
  })

  it('completes an interrupted key revocation in the worker', async () => {
    const { repositories, secrets } = portal.running.parts
    const { id, accessKey } = await new AccessKeys(repositories, secrets).issue('Gone after a crash', 'admin', 'test')
    const holder = portal.browser()
    await holder.post('/api/admin/login', { accessKey })
    expect((await holder.get('/api/admin/stats')).status).toBe(200)
    // The process that revoked the key died before it ended the sessions.
    await repositories.of(adminKeyStreams).decide(id, systemContext('command line', 'died'), revokeAdminKey)
    await until(async () => (await holder.get('/api/admin/stats')).status === 401, 'the session to end')
  })
})

describe('data of a trader', () => {
  it('serves a file only to its owner, administrators and auditors', async () => {
    const address = `/api/certificates/${certificate}/file`
    for (const who of [bob, admin, auditor]) {
      const answer = await who.get(address)
      expect(answer.status).toBe(200)
      expect(answer.bytes.equals(file)).toBe(true)
    }
    expect((await portal.browser().get(address)).status).toBe(401)
    const notMine = await ada.get(address)
    const notThere = await ada.get(`/api/certificates/${bob.id}-c999/file`)
    expect(notMine.status).toBe(404)
    // Does not even reveal whether it exists.
    expect(notMine.body).toEqual(notThere.body)
    for (const path of ['files/x', '%2e%2e%2fmaster.key', '..%2f..%2fmaster.key'])
      expect((await ada.get(`/api/certificates/${path}/file`)).status).toBe(404)
  })

  it("never shows in another trader's answers", async () => {
    const secrets = [bob.id, bob.email, payout, certificate, MASTER_PASSWORD, '700100']
    for (const { path } of allRoutes.filter((route) => route.access === 'trader' && !isChange(route))) {
      const address = addressOf({ path })
      const own = await bob.get(address)
      const { status, text } = await ada.get(`${address}?userId=${bob.id}&id=${bob.id}`)
      // Who names Bob's event learns no more than of one that does not exist.
      const isOne = path.includes(':number') || path.includes('cases/:id')
      expect([path, own.status, status]).toEqual([path, 200, isOne ? 404 : 200])
      for (const secret of secrets) expect(text).not.toContain(secret)
    }
  })

  it('cannot be changed by another trader', async () => {
    await ada.patch('/api/user/profile', { id: bob.id, userId: bob.id, city: 'Paris' })
    expect((await bob.get('/api/user')).body).toMatchObject({ city: registration.city })
    await appendingNothing(() => ada.post('/api/user/payouts', { userId: bob.id, amount: '1', paymentMethod: 'bank' }))
  })
})

describe('a change from another site', () => {
  const foreign: readonly Readonly<Record<string, string>>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]

  it.each(named(changes))('is refused: %s', async (_, route) => {
    const who = entitled(route)
    for (const headers of foreign) {
      const answer = await appendingNothing(() => call(who, route, { headers }))
      expect([JSON.stringify(headers), answer.status]).toEqual([JSON.stringify(headers), 403])
      expect(answer.body).toEqual({ message: 'This request came from another site and was refused' })
    }
  })

  it('neither ends nor starts a session', async () => {
    const visitor = await portal.trader()
    const headers = { origin: 'https://evil.example' }
    await visitor.post('/api/logout', undefined, { headers })
    expect((await visitor.get('/api/user')).status).toBe(200)
    const { email, password } = visitor
    const answer = await portal.browser().post('/api/login', { email, password }, { headers })
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []])
  })

  it('is not assumed without such headers or from this site', async () => {
    const own = [
      {},
      { origin: portal.url },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { origin: portal.url, 'sec-fetch-site': 'same-origin' },
    ]
    for (const [i, headers] of own.entries()) {
      expect((await ada.patch('/api/user/profile', { houseNumber: `own ${i}` }, { headers })).status).toBe(200)
      expect((await admin.send('POST', '/api/admin/certificates', uploadForm(), { headers })).status).toBe(201)
    }
  })

  it('is recognised by the public address behind a proxy', async () => {
    const behind = await openPortal({ environment: { PUBLIC_URL: 'https://portal.example.com', TRUSTED_PROXIES: '1' } })
    try {
      const trader = await behind.trader()
      const from = (origin: string) => trader.patch('/api/user/profile', { city: origin }, { headers: { origin } })
      expect((await from('https://portal.example.com')).status).toBe(200)
      for (const origin of [
        'http://portal.example.com',
        'https://portal.example.com.evil.example',
        'https://example.com',
      ])
        expect((await from(origin)).status).toBe(403)
    } finally {
      await behind.stop()
    }
  })

  it.each(named(withAccess('export')))('records no download: %s', async (_, route) => {
    for (const headers of foreign) {
      const answer = await appendingNothing(() => call(auditor, route, { headers }))
      expect([JSON.stringify(headers), answer.status]).toEqual([JSON.stringify(headers), 403])
    }
    for (const site of ['same-origin', 'none'])
      expect((await call(auditor, route, { headers: { 'sec-fetch-site': site } })).status).toBe(200)
  })

  it('does not affect reads', async () => {
    // Downloads by staff are recorded: see above.
    const reads = allRoutes.filter(
      (route) => !isChange(route) && route.access !== 'public' && route.access !== 'export',
    )
    await appendingNothing(async () => {
      for (const route of reads)
        for (const headers of foreign)
          expect((await call(route.access === 'trader' ? bob : admin, route, { headers })).status).toBe(200)
    })
  })
})

describe('a body', () => {
  const takesJson = changes.filter(({ upload }) => !upload)

  it.each(named(takesJson))('that is not declared as JSON is refused with 415: %s', async (_, route) => {
    const who = entitled(route)
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
    ]
    for (const type of types) {
      const send = () =>
        who.send(route.method.toUpperCase(), addressOf(route), '{"banned":true,"status":"approved"}', {
          headers: { 'content-type': type },
        })
      expect([type, (await appendingNothing(send)).status]).toEqual([type, 415])
    }
  })

  it.each(named(takesJson))('that is not valid JSON is refused with 400: %s', async (_, route) => {
    for (const body of ['{', '{"a":', 'null', '"text"', '{"a":1}}', '\u0000']) {
      const answer = await appendingNothing(() =>
        entitled(route).send(route.method.toUpperCase(), addressOf(route), body, json()),
      )
      expect([body, answer.status]).toEqual([body, 400])
      expect(answer.body).toEqual({ message: 'The request is not valid JSON' })
    }
  })

  it.each(named(takesJson))('that is too large is refused with 413: %s', async (_, route) => {
    const body = JSON.stringify({ fullName: 'x'.repeat(2 * (route.largestBody ?? 100_000)) })
    const answer = await appendingNothing(() =>
      entitled(route).send(route.method.toUpperCase(), addressOf(route), body, json()),
    )
    expect(answer.status).toBe(413)
    expect(answer.body).toEqual({ message: 'The request is too large' })
  })

  it('of an unknown encoding is refused with 415', async () => {
    const odd = [{ 'content-encoding': 'zstd' }, { 'content-type': 'application/json; charset=latin1' }]
    for (const headers of odd)
      expect((await portal.browser().send('POST', '/api/login', '{}', json({ headers }))).status).toBe(415)
  })

  it('that is an array or sets a prototype has no effect', async () => {
    expect((await portal.browser().send('POST', '/api/login', '[]', json())).status).toBe(400)
    const answer = await ada.send(
      'PATCH',
      '/api/user/profile',
      '{"__proto__":{"city":"Nowhere"},"constructor":{"prototype":{}}}',
      json(),
    )
    expect(answer.status).toBe(200)
    expect((await ada.get('/api/user')).body).not.toMatchObject({ city: 'Nowhere' })
  })

  it('of an upload must be a valid multipart form', async () => {
    const send = (body: string, type: string) =>
      admin.send('POST', '/api/admin/certificates', body, { headers: { 'content-type': type } })
    await appendingNothing(async () => {
      expect((await send('{}', 'application/json')).status).toBe(415)
      expect((await send('name=x', 'application/x-www-form-urlencoded')).status).toBe(415)
      expect((await send('nonsense', 'multipart/form-data')).status).toBe(400)
      expect((await send('--x\r\nnonsense', 'multipart/form-data; boundary=x')).status).toBe(400)
    })
  })
})

describe('an unknown call', () => {
  it.each([
    ['GET', '/api/nothing'],
    ['POST', '/api/nothing'],
    ['GET', '/api/admin'],
    ['GET', '/api/admin/user'],
    ['PATCH', '/api/admin/users/1/2/3'],
    ['GET', '/api/__proto__'],
  ])('%s %s is answered 404 as JSON', async (method, path) => {
    for (const who of [portal.browser(), bob, admin]) {
      const answer = await who.send(method, path, undefined)
      expect(answer.status).toBe(404)
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
      expect(answer.body).toEqual({ message: `There is no ${method} ${path}` })
    }
  })

  it.each([
    ['DELETE', '/api/user', 'GET, HEAD'],
    ['PUT', '/api/user/profile', 'PATCH'],
    ['GET', '/api/login', 'POST'],
    ['POST', '/api/user/account', 'GET, HEAD'],
    ['PUT', '/api/admin/user/x/account', 'POST, PATCH'],
  ])('%s %s of a known address is answered 405 as JSON, to every caller', async (method, path, allowed) => {
    for (const who of [portal.browser(), bob, admin]) {
      const answer = await who.send(method, path, undefined)
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, allowed])
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    }
  })

  it('with a malformed path is answered 400', async () => {
    expect((await admin.get('/api/admin/user/%E0%A4%A')).status).toBe(400)
  })

  it('about an unknown user is answered 404', async () => {
    const about = [...staffRoutes].filter(({ path }) => path.includes(':id'))
    expect(about.length).toBeGreaterThan(0)
    const bodies: Readonly<Record<string, object>> = {
      banUser: { banned: true, banReason: 'why not' },
      decidePayout: { status: 'approved' },
      setAccount: { status: 'active' },
      changeAccount: { status: 'active' },
      changeUser: { fullName: 'Somebody' },
      renameStaffPasskey: { name: 'Key' },
    }
    for (const { name, method, path, body } of about) {
      // Without a sample body the refusal may be about the body.
      const refusals = !body || body.safeParse(bodies[name] ?? {}).success ? [404] : [400, 404]
      for (const id of ['nobody0000000000', 'x', '..%2f..', '__proto__', `${bob.id}-a1-p999`]) {
        const answer = await admin.send(
          method.toUpperCase(),
          path.replace(':id', id).replace(':number', event).replace(':note', 'n1'),
          isGet(method) ? undefined : JSON.stringify(bodies[name] ?? {}),
          isGet(method) ? {} : json(),
        )
        expect(refusals, `${name} ${id}`).toContain(answer.status)
      }
    }
  })

  const isGet = (method: string) => method === 'get'
})

describe('headers', () => {
  const answers = async (): Promise<readonly Answer[]> => [
    await portal.browser().get('/'),
    await portal.browser().get('/healthz'),
    await bob.get('/api/user'),
    await bob.get(`/api/certificates/${certificate}/file`),
    await portal.browser().get('/api/user'),
    await portal.browser().get('/api/nothing'),
    await portal.browser().get('/nothing'),
    await portal.browser().send('POST', '/api/login', '{', json()),
    await portal.browser().send('POST', '/api/login', '{}', { headers: { origin: 'https://evil.example' } }),
    await auditor.post('/api/admin/users', {}),
  ]

  it('of every answer prevent framing, sniffing, leaking and foreign scripts', async () => {
    for (const { headers } of await answers()) {
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toMatch(/(^|;)\s*default-src '(self|none)'/)
      expect(policy).not.toMatch(/unsafe|\*|https?:/)
      expect(policy.includes("frame-ancestors 'none'") || headers.get('x-frame-options') === 'DENY').toBe(true)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(headers.has('x-powered-by')).toBe(false)
      expect(headers.has('access-control-allow-origin')).toBe(false)
      // Over plain HTTP HSTS would lock people out.
      expect(headers.has('strict-transport-security')).toBe(false)
    }
  })

  it('of pages forbid frames and plug-ins', async () => {
    const policy = (await portal.browser().get('/')).headers.get('content-security-policy')
    for (const rule of [
      "default-src 'self'",
      "frame-ancestors 'none'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self'",
    ])
      expect(policy).toContain(rule)
  })

  it('of the HTTP interface forbid storing answers', async () => {
    for (const route of allRoutes.filter(({ path }) => path.startsWith('/api/'))) {
      const { headers } = await call(portal.browser(), route)
      expect([route.path, headers.get('cache-control')]).toEqual([route.path, 'no-store'])
    }
  })
})

describe('a fault', () => {
  /** Checks that an answer reveals no internals. */
  const tellsNothing = ({ text }: Answer) =>
    expect(text).not.toMatch(/\bat .*:\d+|node_modules|\.ts\b|Error:|stack|sqlite|\/work|\/tmp/i)

  it('of ours is answered 500 with only the request’s id', async () => {
    const damaged = await openPortal()
    try {
      const trader = await damaged.trader()
      await appendUnknownEvent(damaged.running.parts, `user-${trader.id}`, 1)
      const answer = await trader.patch('/api/user/profile', { city: 'Paris' })
      expect(answer.status).toBe(500)
      expect(answer.body).toEqual({ message: expect.stringContaining(answer.headers.get('x-request-id') ?? 'no id') })
      tellsNothing(answer)
      // Other users are not affected.
      expect((await (await damaged.trader()).patch('/api/user/profile', { city: 'Paris' })).status).toBe(200)
    } finally {
      await damaged.stop()
    }
  })

  const away: readonly (readonly [
    part: string,
    close: (portal: Portal) => Promise<void>,
    asks: (trader: Trader, admin: Browser) => Promise<Answer>,
  ])[] = [
    [
      'session store',
      ({ running }) => closeAll(running.each.map(({ sessionStore }) => sessionStore)),
      (trader) => trader.get('/api/user'),
    ],
    [
      'session store',
      ({ running }) => closeAll(running.each.map(({ sessionStore }) => sessionStore)),
      (_, admin) => admin.get('/api/admin/stats'),
    ],
    [
      'event store',
      ({ running }) => closeAll(running.each.map(({ eventStore }) => eventStore)),
      ({ email, password }) => loginAs(email, password),
    ],
    [
      'event store',
      ({ running }) => closeAll(running.each.map(({ eventStore }) => eventStore)),
      (trader) => trader.patch('/api/user/profile', { city: 'Paris' }),
    ],
    [
      'view store',
      ({ running }) => closeAll(running.each.map(({ readModelStore }) => readModelStore)),
      (_, admin) => admin.get('/api/admin/users'),
    ],
    ['key store', ({ running }) => closeAll(running.each.map(({ keyStore }) => keyStore)), () => registerSomebody()],
    [
      'file store',
      ({ dataDir, running }) =>
        isExternal('s3')
          ? closeAll(running.each.map(({ fileStore }) => fileStore))
          : // The worker may be writing its records there.
            rm(embeddedPaths.files(dataDir), { recursive: true, maxRetries: 5 }),
      (trader, admin) => uploadCertificate(admin, { userId: trader.id }),
    ],
  ]
  /** In every process of the portal. */
  const closeAll = async (stores: readonly { close(): Promise<void> }[]): Promise<void> =>
    void (await Promise.all(stores.map((store) => store.close())))
  let broken: Portal
  const loginAs = (email: string, password: string) => broken.browser().post('/api/login', { email, password })
  const registerSomebody = () => broken.browser().post('/api/register', { ...registration, email: newEmail() })

  it.each(away)('of the %s is answered 503 with Retry-After, and grants no access', async (part, close, ask) => {
    broken = await openPortal()
    try {
      const [trader, administrator] = [await broken.trader(), await broken.admin()]
      await close(broken)
      const answer = await ask(trader, administrator)
      expect(answer.status).toBe(503)
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      expect(answer.body).toEqual({ message: "We can't reach our servers right now. Please try again in a moment." })
      tellsNothing(answer)
      const readiness = await broken.browser().get('/readyz')
      expect(readiness.status).toBe(503)
      expect(readiness.body).toEqual({ status: 'unavailable' })
      expect(await componentStates(broken.running.parts)()).toContainEqual(
        expect.objectContaining({ name: part, ready: false }),
      )
      expect((await broken.browser().get('/healthz')).status).toBe(200)
    } finally {
      await broken.stop()
    }
  })
})

describe('secrets', () => {
  it('are in no answer, except the master password for its owner', async () => {
    await portal.browser().post('/api/forgot-password', { email: bob.email })
    const mail = await portal.mailWith(bob.email, ({ subject }) => subject === 'Reset your Proofdesk password')
    const [, token = ''] = tokenOf(mail).split('.')
    const events = await portal.userEvents(bob.id)
    const hashes = events.flatMap(({ data }) =>
      Object.entries(data).flatMap(([field, value]) =>
        /hash|claim/i.test(field) && typeof value === 'string' ? [value] : [],
      ),
    )
    // The stored hashes of the password, the link and the address exist.
    expect(hashes.length).toBeGreaterThanOrEqual(3)
    const secrets = [
      token,
      bob.password,
      portal.adminKey,
      '$argon2',
      'passwordHash',
      ...hashes.filter((hash) => hash.startsWith('$argon2')),
    ]
    // Proofs hold the recorded bytes: of an address its keyed hash, of a used link its hash. Neither leads back.
    const proofs = new Set(['ownProof', 'auditExport'])
    const hiddenOutsideProofs = ['tokenHash', 'emailClaim', ...hashes]
    // The page to verify with, and its file, are a program, the same for everyone: it knows the names of fields.
    const program = new Set(['verifyPage', 'verifyFile'])
    const names = new Set(['passwordHash', 'tokenHash', 'emailClaim'])
    const hiddenIn = (route: string) => {
      const hidden = proofs.has(route) ? secrets : [...secrets, ...hiddenOutsideProofs]
      return program.has(route) ? hidden.filter((text) => !names.has(text)) : hidden
    }

    const ENDING = ['logout', 'adminLogout', 'deleteUser', 'endUserSessions', 'removeUserFactors', 'openAccount']
    const withMasterPassword: string[] = []
    for (const route of allRoutes)
      for (const [who, visitor] of [
        ['anyone', portal.browser()],
        ['owner', bob],
        ['other', ada],
        ['admin', admin],
        ['auditor', auditor],
      ] as const) {
        // These are tested elsewhere: they would end what this test needs, a session or that an account is the current.
        if (ENDING.includes(route.name)) continue
        const { text, headers } = await call(visitor, route)
        const all = `${text}\n${[...headers].flat().join('\n')}`
        for (const secret of hiddenIn(route.name))
          expect([route.name, who, all.includes(secret)]).toEqual([route.name, who, false])
        if (all.includes(MASTER_PASSWORD)) withMasterPassword.push(`${who}: ${route.name}`)
      }
    // The owner's answers, and the one call for staff that records it.
    expect(withMasterPassword).toEqual([
      'owner: ownAccount',
      'admin: showMasterPassword',
      'owner: ownState',
      'owner: ownExport',
    ])
  })

  it('are not in answers to changes, nor in searched lists', async () => {
    const set = await admin.patch(`/api/admin/user/${bob.id}/account`, { masterPassword: `${MASTER_PASSWORD}-2` })
    expect(set.text).not.toContain(MASTER_PASSWORD)
    for (const search of [MASTER_PASSWORD, bob.email, '700100', bob.password]) {
      const { status, text } = await admin.get(`/api/admin/users?search=${encodeURIComponent(search)}`, after(set))
      expect(status).toBe(200)
      expect(text).not.toContain(MASTER_PASSWORD)
    }
    expect((await bob.get('/api/user/account', after(set))).body).toMatchObject({
      masterPassword: `${MASTER_PASSWORD}-2`,
    })
  })
})

describe('the program’s log', () => {
  beforeAll(buildProgram, 600_000)

  it('reports refusals and sign-ins without secrets, at every level', async () => {
    const dataDir = temporaryFolder()
    const program = await startProgram({ dataDir, environment: { LOG_LEVEL: 'debug' } })
    const visitor = browser(program.url)
    const email = newEmail()
    await visitor.post('/api/register', { ...registration, email })
    const refused = await browser(program.url).post('/api/login', { email, password: 'a wrong password' })
    const signedIn = await visitor.post('/api/login', { email, password: registration.password })
    const operator = browser(program.url)
    const refusedKey = await operator.post('/api/admin/login', { accessKey: 'a wrong key' })
    await operator.post('/api/admin/login', { accessKey: ADMIN_KEY })
    const denied = await visitor.get('/api/admin/stats')
    await visitor.get(`/api/user?token=in-the-address`)
    const session = visitor.cookies.get(SESSION_COOKIE) ?? 'no session'
    await visitor.post('/api/user/change-password', {
      currentPassword: registration.password,
      newPassword: 'a new password',
      confirmPassword: 'a new password',
    })
    expect(await program.stop()).toBe(0)

    const output = program.output()
    for (const { headers } of [refused, signedIn, refusedKey, denied])
      expect(output).toContain(headers.get('x-request-id'))
    expect(output).toContain('sign-in refused')
    expect(output).toContain('signed in')
    for (const secret of [
      registration.password,
      'a wrong password',
      'a new password',
      'a wrong key',
      ADMIN_KEY,
      session,
      'in-the-address',
      '$argon2',
      email,
    ])
      expect([secret, output.includes(secret)]).toEqual([secret, false])
  }, 60_000)
})
