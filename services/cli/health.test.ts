import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Health, Readiness } from '#services/framework/api/health-schemas.ts'
import type { Browser } from '#test-support/http-client.ts'
import { read } from '#test-support/http-calls.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'
import { allProjections } from '#services/portal/modules.ts'

const portal = await openPortal()
afterAll(() => portal.stop())

const ViewStates = z.object({
  ready: z.boolean(),
  views: z.array(
    z.object({
      view: z.string(),
      position: z.string(),
      end: z.string(),
      caughtUp: z.boolean(),
      building: z.unknown(),
      poison: z.number(),
    }),
  ),
})

/** What staff learn about each part. */
const partsFor = async (staff: Browser) => read(Readiness, await staff.get('/readyz')).parts ?? {}
const viewStates = async (staff: Browser) => ViewStates.parse((await partsFor(staff))['views']).views

describe('GET /healthz', () => {
  it('answers 200 to anyone once the service works', async () => {
    const answer = await portal.browser().get('/healthz')
    expect(answer.status).toBe(200)
    expect(read(Health, answer)).toEqual({ status: 'ok' })
  })

  it('keeps its connection open for longer than proxies do', async () => {
    // A request sent just as we close an idle connection would be lost.
    const { headers } = await portal.browser().get('/healthz')
    expect(Number(/timeout=(\d+)/.exec(headers.get('keep-alive') ?? '')?.[1])).toBeGreaterThan(120)
  })

  it('is answered by every service in its own process', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-health-'))
    try {
      const running: Portal[] = []
      // Queries are ready once a worker has applied what is in the log.
      for (const service of ['command', 'worker', 'query'] as const) {
        const part = await openPortal({ dataDir, services: [service] })
        running.push(part)
        expect((await part.browser().get('/healthz')).status, service).toBe(200)
        await until(async () => (await part.browser().get('/readyz')).status === 200, `${service} to be ready`)
      }
      for (const part of running) await part.stop()
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})

describe('GET /readyz', () => {
  it('says only whether it is ready, to the public and to traders', async () => {
    for (const client of [portal.browser(), await portal.trader()]) {
      const answer = await client.get('/readyz')
      expect([answer.status, answer.text]).toEqual([200, '{"status":"ok"}'])
    }
  })

  it('names every part that the portal depends on, each ready, to administrators and auditors', async () => {
    expect(Object.keys(await partsFor(await portal.auditor()))).toContain('event store')
    const answer = await (await portal.admin()).get('/readyz')
    const { status, parts = {} } = read(Readiness, answer)
    expect([answer.status, status]).toEqual([200, 'ok'])
    const stores = [
      'event store',
      'view store',
      'key store',
      'session store',
      'mail queue',
      'mail transport',
      'file store',
    ]
    expect(Object.keys(parts).sort()).toEqual([...stores, 'views', 'mail', 'proof'].sort())
    expect(Object.values(parts).every(({ ready }) => ready)).toBe(true)
  })

  it('shows how far each read model has followed the log', async () => {
    const browser = await portal.admin()
    await portal.trader()
    await portal.mailed()
    const end = await portal.running.parts.eventStore.end()
    // What was found a moment ago is said again.
    const caughtUp = await until(async () => {
      const states = await viewStates(browser)
      return states.every((state) => state.caughtUp && state.end === end) && states
    }, 'all read models to catch up')
    expect(caughtUp.map(({ view }) => view).sort()).toEqual(allProjections.map(({ name }) => name).sort())
    for (const state of caughtUp) expect(state).toMatchObject({ position: end, end, building: null, poison: 0 })
  })

  it('answers 503 until what was in the log at the start is visible, and only shows the lag later', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-lag-'))
    try {
      const alone = await openPortal({ dataDir, services: ['command', 'query'] })
      const staff = alone.browser()
      const signIn = () => staff.post('/api/admin/login', { accessKey: alone.adminKey })
      const status = async () => (await alone.browser().get('/readyz')).status
      await signIn()
      expect(await status()).toBe(503)
      const behind = await viewStates(staff)
      const end = await alone.running.parts.eventStore.end()
      expect(behind).toHaveLength(allProjections.length)
      for (const state of behind) expect(state).toMatchObject({ caughtUp: false, end })

      const worker = await openPortal({ dataDir, services: ['worker'] })
      await until(async () => (await status()) === 200, 'the query service to be ready')
      await worker.stop()
      await signIn()
      expect(await status()).toBe(200)
      await until(async () => (await viewStates(staff)).every(({ caughtUp }) => !caughtUp), 'the lag to be shown')
      expect(await status()).toBe(200)
      await alone.stop()
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })

  it('counts the mails', async () => {
    const admin = await portal.admin()
    const { email } = await portal.trader().then(async (trader) => {
      await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'For a mail' })
      return trader
    })
    await portal.mailsTo(email, 1)
    await portal.mailed()
    const { sent } = await portal.running.parts.outbox.counts()
    expect(sent).toBeGreaterThan(1)
    expect((await partsFor(admin))['mail']).toMatchObject({ ready: true, waiting: 0, sent, failed: 0 })
  })

  it.each([
    ['files', 503, 'unavailable', 'file store'],
    // Nobody waits for a mail.
    ['outbox', 200, 'degraded', 'mail transport'],
  ])('without the folder %s answers %i, %s, and names the part: %s', async (folder, code, status, part) => {
    const own = await openPortal()
    const admin = await own.admin()
    await rm(join(own.dataDir, folder), { recursive: true })
    const answer = await until(async () => {
      const found = await own.browser().get('/readyz')
      return found.text !== '{"status":"ok"}' && found
    }, 'it to be noticed')
    expect([answer.status, answer.text]).toEqual([code, JSON.stringify({ status })])
    const away = Object.entries(await partsFor(admin)).filter(([, { ready }]) => !ready)
    expect(away.map(([name]) => name)).toEqual([part])
    expect((await own.browser().get('/healthz')).status).toBe(200)
    await own.stop()
  })

  it('reveals no personal data', async () => {
    const trader = await portal.trader()
    const { text } = await (await portal.auditor()).get('/readyz')
    expect(text).not.toContain(trader.id)
    expect(text).not.toContain(trader.email)
    expect(text).not.toContain(portal.dataDir)
  })
})
