import { AccountHistory } from '#services/trading/accounts/account-api.ts'
import { Notices } from '#services/oversight/notices/notice-api.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AdminPayout, Payout } from '#services/payments/payouts/payout-api.ts'
import { Certificate } from '#services/trading/certificates/certificate-api.ts'
import { POSITION_COOKIE, POSITION_HEADER, RETRY_HEADER } from '#services/framework/api/headers.ts'
import { Stats } from '#services/oversight/statistics/statistics-api.ts'
import { User } from '#services/identity/users/user-api.ts'
import { type Answer, type Browser, browser } from '#test-support/http-client.ts'
import { after, pdf, read, uploadCertificate } from '#test-support/http-calls.ts'
import { newEmail, openPortal, registration } from '#test-support/portal.ts'
import { ADMIN_KEY, buildProgram, type Program, startProgram, temporaryFolder } from '#test-support/program.ts'
import { isExternal } from '#test-support/portal-stores.ts'
import { promptly } from '#test-support/promptly.ts'
import { until } from '#test-support/until.ts'

/** How a client sends the position to read: as a cookie or as a header. */
type ServiceSetup = 'cookie' | 'header'

/** Makes every kind of change; the next read must show each. */
async function everyChangeShows(open: () => Browser, way: ServiceSetup): Promise<void> {
  const [admin, trader] = [open(), open()]
  await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })

  /** The next read by the author of the change. */
  const next = (who: Browser, change: Answer, path: string): Promise<Answer> => {
    expect(change.status, change.text).toBeLessThan(300)
    expect(change.headers.get(POSITION_HEADER)).toMatch(/^\d+$/)
    expect(who.cookies.get(POSITION_COOKIE)).toBe(change.headers.get(POSITION_HEADER))
    if (way === 'cookie') return who.get(path)
    who.cookies.delete(POSITION_COOKIE)
    return who.get(path, after(change))
  }
  const figures = async (change: Answer) => read(Stats, await next(admin, change, '/api/admin/stats'))

  const email = newEmail()
  let change = await trader.post('/api/register', { ...registration, email })
  const { id } = read(User, change)
  expect(await next(trader, change, '/api/user')).toMatchObject({ status: 200, body: { id, email } })

  change = await trader.patch('/api/user/profile', { city: 'Paris' })
  expect((await next(trader, change, '/api/user')).body).toMatchObject({ city: 'Paris' })

  const path = `/api/admin/user/${id}`
  change = await admin.patch(path, { fullName: 'Augusta King' })
  expect((await next(admin, change, path)).body).toMatchObject({ fullName: 'Augusta King' })
  change = await admin.patch(path, { fullName: 'Augusta Ada King' })
  expect((await next(admin, change, '/api/admin/users?search=augusta%20ada')).body).toMatchObject([{ id }])

  for (const status of ['active', 'under-review', 'breached', 'pending']) {
    change = await admin.patch(`${path}/account`, { status, balance: '5.00', payoutEnabled: true })
    expect((await next(admin, change, path)).body).toMatchObject({ tradingAccount: { status, balance: '5.00' } })
    expect((await admin.get(`/api/admin/users?status=${status}&search=augusta`)).body).toMatchObject([{ id }])
    expect((await trader.get('/api/user/account', after(change))).body).toMatchObject({ status, payoutEnabled: true })
  }

  change = await trader.post('/api/user/payouts', {
    amount: '12.00',
    paymentMethod: 'bank',
    paymentDetails: 'IBAN-SEEN-ONCE',
  })
  const payout = read(Payout, change)
  expect((await next(trader, change, '/api/user/payouts')).body).toMatchObject([payout])
  expect(
    read(AccountHistory, await trader.get('/api/user/account/history', after(change))).markers.at(-1),
  ).toMatchObject({ type: 'PayoutRequested' })
  change = await trader.patch('/api/user/notices', { muted: ['phase'] })
  expect((await next(trader, change, '/api/user/notices')).body).toMatchObject({ muted: ['phase'] })
  for (const status of ['rejected', 'approved'] as const) {
    change = await admin.patch(`/api/admin/payouts/${payout.id}`, { status, adminNotes: `now ${status}` })
    const [listed] = read(z.array(AdminPayout), await next(admin, change, '/api/admin/payouts'))
    expect(listed).toMatchObject({
      id: payout.id,
      status,
      adminNotes: `now ${status}`,
      paymentDetails: 'IBAN-SEEN-ONCE',
    })
    expect((await trader.get('/api/user/payouts', after(change))).body).toMatchObject([{ status }])
    const { entries } = read(Notices, await trader.get('/api/user/notices', after(change)))
    expect(entries[0]).toMatchObject({ reason: `now ${status}` })
  }

  change = await uploadCertificate(admin, { userId: id, file: pdf(777) })
  const { fileUrl } = read(Certificate, change)
  expect((await next(admin, change, fileUrl)).bytes).toHaveLength(777)
  expect((await trader.get('/api/user/certificates', after(change))).body).toEqual([change.body])

  change = await admin.patch(`${path}/ban`, { banned: true, banReason: 'Because' })
  expect((await next(admin, change, path)).body).toMatchObject({ banned: true, banReason: 'Because' })
  change = await admin.patch(`${path}/ban`, { banned: false })
  expect((await next(admin, change, path)).body).toMatchObject({ banned: false, banReason: null })

  change = await admin.post('/api/admin/users', { fullName: 'Grace Hopper', email: newEmail() })
  const created = read(User, change)
  const before = await figures(change)
  expect(before.recentUsers[0]?.id).toBe(created.id)
  change = await admin.delete(`/api/admin/user/${created.id}`)
  expect((await next(admin, change, `/api/admin/user/${created.id}`)).status).toBe(404)

  change = await admin.delete(path)
  const later = await figures(change)
  expect(later.users.total).toBe(before.users.total - 2)
  expect(later.recentUsers.map((user) => user.id)).not.toContain(id)
  const [listed] = read(z.array(AdminPayout), await admin.get('/api/admin/payouts', after(change)))
  expect(listed).toMatchObject({
    id: payout.id,
    user: { fullName: 'erased', email: 'erased' },
    paymentDetails: 'erased',
  })
}

describe('the next read after a change', () => {
  it.each(['cookie', 'header'] as const)('shows it, by %s', async (way) => {
    const portal = await openPortal()
    await everyChangeShows(() => portal.browser(), way)
    await portal.stop()
  })

  it('asks a new trader to retry until a worker has projected the registration', async () => {
    const portal = await openPortal({ services: ['command', 'query'] })
    const trader = await portal.trader()
    trader.cookies.delete(POSITION_COOKIE)
    for (const path of ['/api/user', '/api/user/account']) {
      const { status, headers } = await trader.get(path)
      expect([path, status]).toEqual([path, 503])
      expect(Number(headers.get(RETRY_HEADER))).toBeGreaterThan(0)
    }
    await portal.stop()
  })

  it('is never older than its change, also under concurrency', async () => {
    const portal = await openPortal()
    const admin = await portal.admin()
    await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const trader = await portal.trader()
        for (const balance of [`${n + 1}.00`, `${n + 1}.50`]) {
          const change = await admin.patch(`/api/admin/user/${trader.id}/account`, { balance })
          expect((await upToDate(() => trader.get('/api/user/account', after(change)))).body).toMatchObject({ balance })
        }
      }),
    )
    await portal.stop()
  })
})

/**
 * The next read. Where read models are on a slow server and further behind than a read waits, it retries on 503, as
 * pages do.
 */
async function upToDate(ask: () => Promise<Answer>): Promise<Answer> {
  if (!isExternal('mongodb')) return ask()
  const answered = async () => {
    const answer = await ask()
    return answer.status !== 503 && answer
  }
  return until(answered, 'the page to be up to date')
}

describe('with every service in a process of its own', () => {
  beforeAll(buildProgram, 600_000)

  /** A browser that sends changes to the command service, and reads to the query services in turn. */
  function across(command: Program, ...queries: Program[]): Browser {
    let reads = 0
    return browser((method) => (method === 'GET' ? queries[reads++ % queries.length] : command)?.url ?? '')
  }

  it('the next read shows a change, or 503 without a worker', async () => {
    const dataDir = temporaryFolder()
    const command = await startProgram({ dataDir, service: 'command' })
    const [worker, one, two] = await Promise.all([
      startProgram({ dataDir, service: 'worker' }),
      startProgram({ dataDir, service: 'query' }),
      startProgram({ dataDir, service: 'query' }),
    ])
    for (const way of ['cookie', 'header'] as const) await everyChangeShows(() => across(command, one, two), way)

    const admin = across(command, one, two)
    await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })
    expect(await worker.stop()).toBe(0)
    const change = await admin.post('/api/admin/users', { fullName: 'Grace Hopper', email: newEmail() })
    expect(change.status, 'changes work without a worker').toBe(201)
    const { id } = read(User, change)
    const paths = ['/api/admin/users', `/api/admin/user/${id}`, '/api/admin/stats']
    for (const answer of await Promise.all(paths.map((path) => promptly(admin.get(path), 5_000)))) {
      expect(answer.status).toBe(503)
      expect(Number(answer.headers.get(RETRY_HEADER))).toBeGreaterThan(0)
    }

    await startProgram({ dataDir, service: 'worker' })
    const shown = await until(async () => {
      const answer = await admin.get(`/api/admin/user/${id}`)
      return answer.status === 200 && answer
    }, 'the worker to catch up')
    expect(shown.body).toMatchObject({ id })
  }, 120_000)

  it('each service answers only its own calls', async () => {
    const dataDir = temporaryFolder()
    const command = await startProgram({ dataDir, service: 'command' })
    const query = await startProgram({ dataDir, service: 'query' })
    expect((await browser(command.url).get('/api/nothing')).status).toBe(404)
    const wrong = await fetch(new URL('/api/login', query.url), { method: 'POST' })
    expect(wrong.status).toBe(404)
    expect((await fetch(new URL('/api/admin/stats', command.url))).status).toBe(404)
  }, 60_000)
})

describe('a position', () => {
  const opened = openPortal()
  afterAll(async () => (await opened).stop())

  it.each(['9999999', '99999999999999999999'])('beyond the log (%s) does not block reads', async (position) => {
    const admin = await (await opened).admin()
    const answer = await promptly(admin.get('/api/admin/users', { headers: { [POSITION_HEADER]: position } }), 5_000)
    expect(answer.status).toBe(200)
  })

  it.each(['', 'nonsense', '-1', '1e9', '1'.repeat(400), '0x10', '1.5'])(
    'that is invalid (%j) has no effect',
    async (position) => {
      const admin = await (await opened).admin()
      expect((await admin.get('/api/admin/users', { headers: { [POSITION_HEADER]: position } })).status).toBe(200)
      admin.cookies.set(POSITION_COOKIE, encodeURIComponent(position))
      expect((await admin.get('/api/admin/users')).status).toBe(200)
    },
  )

  it('is the later one of header and cookie', async () => {
    const portal = await openPortal({ services: ['command', 'query'] })
    const admin = await portal.admin()
    const change = await admin.post('/api/admin/users', { fullName: 'Grace Hopper', email: newEmail() })
    expect(change.status).toBe(201)
    // The cookie requires a change that no worker has processed; an older header does not override it.
    expect((await admin.get('/api/admin/users', { headers: { [POSITION_HEADER]: '0' } })).status).toBe(503)
    admin.cookies.delete(POSITION_COOKIE)
    expect(await admin.get('/api/admin/users')).toMatchObject({ status: 200, body: [] })
    await portal.stop()
  })

  it('never goes back, also after a change without events', async () => {
    const portal = await openPortal({ services: ['command', 'query'] })
    const admin = await portal.admin()
    const first = await admin.post('/api/admin/users', { fullName: 'Grace Hopper', email: newEmail() })
    const second = await admin.post('/api/admin/users', { fullName: 'Ada Lovelace', email: newEmail() })
    const latest = second.headers.get(POSITION_HEADER)
    // The first user's events are older than what this browser has seen since.
    const again = await admin.patch(`/api/admin/user/${read(User, first).id}`, { fullName: 'Grace Hopper' })
    expect([again.status, again.headers.get(POSITION_HEADER), admin.cookies.get(POSITION_COOKIE)]).toEqual([
      200,
      latest,
      latest,
    ])
    // A position this log never reached is not returned.
    const madeUp = await admin.patch(
      `/api/admin/user/${read(User, first).id}`,
      { fullName: 'Grace Hopper' },
      { headers: { [POSITION_HEADER]: '9999999' } },
    )
    expect(madeUp.headers.get(POSITION_HEADER)).toBe(latest)
    await portal.stop()
  })

  it('is returned neither by refusals nor by reads', async () => {
    const portal = await opened
    const admin = await portal.admin()
    const answers = [
      await admin.post('/api/admin/users', { fullName: '', email: 'x' }),
      await admin.patch('/api/admin/user/nobody0000000000', { fullName: 'New Name' }),
      await admin.get('/api/admin/users'),
      await portal.browser().post('/api/login', { email: newEmail(), password: 'wrong horse' }),
    ]
    for (const { headers } of answers) expect(headers.get(POSITION_HEADER)).toBeNull()
  })
})
