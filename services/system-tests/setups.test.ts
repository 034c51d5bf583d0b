import PostalMime from 'postal-mime'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { whyNoFerretDb } from '#test-support/servers/ferretdb.ts'
import { whyNoRedis } from '#test-support/servers/redis.ts'
import { AdminPayout, Payout } from '#services/payments/payouts/payout-api.ts'
import { Certificate } from '#services/trading/certificates/certificate-api.ts'
import { POSITION_COOKIE } from '#services/framework/api/headers.ts'
import { Stats } from '#services/oversight/statistics/statistics-api.ts'
import { User } from '#services/identity/users/user-api.ts'
import type { Service } from '#services/cli/server.ts'
import { type Answer, type Browser, browser } from '#test-support/http-client.ts'
import { after, pdf, read, uploadCertificate } from '#test-support/http-calls.ts'
import { newEmail, registration } from '#test-support/portal.ts'
import { ADMIN_KEY, buildProgram, startProgram, temporaryFolder } from '#test-support/program.ts'
import { type Proxy, startProxy } from '#test-support/proxy.ts'
import { storesFor, takenByMailServer } from '#test-support/portal-stores.ts'
import { servers } from '#test-support/setups.ts'
import { until } from '#test-support/until.ts'

const missing = whyNoFerretDb ?? whyNoRedis

describe.skipIf(missing)(
  `with everything on servers and two of each service${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    beforeAll(buildProgram, 600_000)

    it('every read shows the change before it, from sign-up to deletion', async () => {
      const firm = await openFirm()
      const [admin, trader] = [browser(firm.proxy.url), browser(firm.proxy.url)]
      expect((await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })).status).toBe(200)

      const email = newEmail()
      const { id } = read(User, await trader.post('/api/register', { ...registration, email }))
      await shownByBoth(trader, '/api/user', { id, email })

      const path = `/api/admin/user/${id}`
      const set = await admin.patch(`${path}/account`, {
        balance: '50000.00',
        status: 'active',
        phase: 'Funded',
        payoutEnabled: true,
        login: '700100',
        masterPassword: 'hidden',
        server: 'Live',
      })
      await shownByBoth(admin, path, { tradingAccount: { balance: '50000.00', status: 'active', phase: 'Funded' } })
      await shownByBoth(trader, '/api/user/account', { balance: '50000.00', payoutEnabled: true }, set)

      const request = await trader.post('/api/user/payouts', {
        amount: '250.00',
        paymentMethod: 'bank',
        paymentDetails: 'IBAN',
      })
      const payout = read(Payout, request)
      await shownByBoth(trader, '/api/user/payouts', [{ id: payout.id, status: 'pending' }])
      await shownByBoth(
        admin,
        '/api/admin/payouts',
        [{ id: payout.id, status: 'pending', paymentDetails: 'IBAN' }],
        request,
      )
      const approved = await admin.patch(`/api/admin/payouts/${payout.id}`, {
        status: 'approved',
        adminNotes: 'Well done',
      })
      expect(approved.status).toBe(200)
      await shownByBoth(
        trader,
        '/api/user/payouts',
        [{ id: payout.id, status: 'approved', adminNotes: 'Well done' }],
        approved,
      )

      const uploaded = await uploadCertificate(admin, { userId: id, file: pdf(70_000) })
      const { fileUrl } = read(Certificate, uploaded)
      await shownByBoth(trader, '/api/user/certificates', [uploaded.body], uploaded)
      for (const who of [trader, admin]) expect((await who.get(fileUrl)).bytes).toEqual(pdf(70_000))

      const banned = await admin.patch(`${path}/ban`, { banned: true, banReason: 'Because' })
      await shownByBoth(admin, path, { banned: true, banReason: 'Because' })
      // The session is in both query services what it is in the other.
      for (let n = 0; n < 2; n++) expect((await trader.get('/api/user', after(banned))).status).toBe(403)
      const lifted = await admin.patch(`${path}/ban`, { banned: false })
      await shownByBoth(trader, '/api/user', { id, banned: false }, lifted)

      // Many changes one after the other, each read at once by the service that was not asked before.
      for (let n = 0; n < 20; n++) {
        const change = await admin.patch(`${path}/account`, { phase: `Phase ${n}` })
        expect((await trader.get('/api/user/account', after(change))).body).toMatchObject({ phase: `Phase ${n}` })
        expect((await admin.get(path)).body).toMatchObject({ tradingAccount: { phase: `Phase ${n}` } })
      }

      const { users: before } = read(Stats, await admin.get('/api/admin/stats'))
      expect((await admin.delete(path)).status).toBe(200)
      for (let n = 0; n < 2; n++) {
        expect((await admin.get(path)).status).toBe(404)
        expect((await trader.get('/api/user')).status).toBe(401)
        expect(read(Stats, await admin.get('/api/admin/stats')).users.total).toBe(before.total - 1)
        const [listed] = read(z.array(AdminPayout), await admin.get('/api/admin/payouts'))
        expect(listed).toMatchObject({
          id: payout.id,
          paymentDetails: 'erased',
          user: { fullName: 'erased', email: 'erased' },
        })
      }
      expect((await admin.get(fileUrl)).status).toBe(404)

      // Each mail that was due arrived, and once.
      const texts = async () => (await mailsTo(firm, email)).map(({ text }) => text)
      await until(async () => (await texts()).length >= 25, 'all mails, most of them about phases')
      expect(new Set(await texts()).size).toBe((await texts()).length)

      // All of them were asked, and none much more than the other.
      for (const pair of [firm.command, firm.query]) {
        const [one = 0, other = 0] = pair.map((url) => firm.proxy.answered.get(url) ?? 0)
        expect(one).toBeGreaterThan(10)
        expect(Math.abs(one - other)).toBeLessThanOrEqual(1)
      }
    })
  },
)

interface Firm {
  readonly proxy: Proxy
  /** Where they listen. */
  readonly command: readonly string[]
  readonly query: readonly string[]
  /** What its servers know it by. */
  readonly dataDir: string
}

/**
 * Each service in two processes, each with a folder of its own as on a machine of its own: what passes between them
 * passes by the servers.
 */
async function openFirm(): Promise<Firm> {
  const dataDir = temporaryFolder()
  let behind: { command: readonly string[]; query: readonly string[] } = { command: [], query: [] }
  const proxy = await startProxy(() => behind)
  onTestFinished(proxy.close)
  const environment = { ...(await storesFor(dataDir, servers)), PUBLIC_URL: proxy.url, TRUSTED_PROXIES: '1' }
  const two = async (service: Service) =>
    (await Promise.all([1, 2].map(() => startProgram({ dataDir: temporaryFolder(), service, environment })))).map(
      ({ url }) => url,
    )
  const [command, query] = await Promise.all([two('command'), two('query'), two('worker')])
  behind = { command, query }
  return { proxy, dataDir, command, query }
}

/**
 * Two reads, each by another query service, show it: what the browser changed itself, or someone else by this change.
 */
async function shownByBoth(who: Browser, path: string, expected: object, change?: Answer): Promise<void> {
  expect(change !== undefined || who.cookies.has(POSITION_COOKIE)).toBe(true)
  for (let n = 0; n < 2; n++) {
    const answer = await who.get(path, change && after(change))
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body).toMatchObject(expected)
  }
}

async function mailsTo({ dataDir }: Firm, email: string) {
  const taken = (await takenByMailServer(dataDir)) ?? []
  const all = await Promise.all(taken.map((bytes) => PostalMime.parse(bytes)))
  return all.filter(({ to }) => to?.some(({ address }) => address === email))
}
