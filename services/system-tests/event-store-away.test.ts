import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EventStoreDouble, startDouble } from '#test-support/eventstoredb-double/double.ts'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { RETRY_HEADER } from '#services/framework/api/headers.ts'
import { componentStates } from '#services/cli/health.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { after, read } from '#test-support/http-calls.ts'
import { newEmail, openPortal, type Portal, registration } from '#test-support/portal.ts'
import { promptly } from '#test-support/promptly.ts'
import { until } from '#test-support/until.ts'

/** The longest that anybody waits for an answer while the event log is away, in ms. */
const TIMEOUT_MS = 5_000
/** On a machine that does other things at the same time. */
const SLACK = 2_500
const inTime = (answer: Promise<Answer>): Promise<Answer> => promptly(answer, TIMEOUT_MS + SLACK)

describe('with the event log in EventStoreDB', () => {
  let double: EventStoreDouble
  let dataDir: string
  let portal: Portal

  const open = async (): Promise<void> => {
    portal = await openPortal({ dataDir, environment: { EVENTSTORE_URL: double.url } })
  }

  beforeEach(async () => {
    double = await startDouble()
    dataDir = mkdtempSync(join(tmpdir(), 'proofdesk-portal-'))
    await open()
  })
  afterEach(async () => {
    await portal.stop()
    await double.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('takes a trader to an approved payout and keeps it after a restart', async () => {
    const admin = await portal.admin()
    const trader = await portal.trader()
    expect((await trader.get('/api/user')).body).toMatchObject({ id: trader.id, email: trader.email })
    const funded = await admin.patch(`/api/admin/user/${trader.id}/account`, {
      balance: '50000.00',
      status: 'active',
      phase: 'Funded',
      payoutEnabled: true,
    })
    expect(funded.status).toBe(200)
    expect((await trader.get('/api/user/account', after(funded))).body).toMatchObject({
      balance: '50000.00',
      status: 'active',
      phase: 'Funded',
      payoutEnabled: true,
    })
    const request = await trader.post('/api/user/payouts', {
      amount: '250.00',
      paymentMethod: 'crypto',
      paymentDetails: 'a wallet',
    })
    expect(request.status).toBe(201)
    const { id } = read(Payout, request)
    expect((await trader.get('/api/user/payouts')).body).toMatchObject([{ id, status: 'pending', amount: '250.00' }])
    expect((await admin.get('/api/admin/payouts', after(request))).body).toMatchObject([{ id, status: 'pending' }])
    const approved = await admin.patch(`/api/admin/payouts/${id}`, { status: 'approved', adminNotes: 'Well done' })
    expect(approved.status).toBe(200)
    expect((await trader.get('/api/user/payouts', after(approved))).body).toMatchObject([{ id, status: 'approved' }])
    await portal.mailed()
    expect((await portal.mails(trader.email)).length).toBeGreaterThan(0)

    const recorded = await portal.events()
    await portal.stop()
    await double.stop()
    await double.restart()
    await open()
    expect(await portal.events()).toEqual(expect.arrayContaining(recorded))
    const again = portal.browser()
    expect((await again.post('/api/login', { email: trader.email, password: trader.password })).status).toBe(200)
    expect((await again.get('/api/user/payouts')).body).toMatchObject([{ id, status: 'approved' }])
    // The very streams that were written before.
    expect((await (await portal.admin()).patch(`/api/admin/payouts/${id}`, { status: 'approved' })).status).toBe(409)
  })

  const faults: Record<string, { begin: () => Promise<void>; end: () => Promise<void> }> = {
    'is gone': { begin: async () => double.kill(), end: () => double.restart() },
    hangs: { begin: async () => double.relay.freeze(), end: async () => double.relay.thaw() },
  }
  for (const [fault, { begin, end }] of Object.entries(faults))
    it(`while it ${fault} it refuses changes with 503, serves reads and recovers`, async () => {
      const admin = await portal.admin()
      const trader = await portal.trader()
      const reader = await signInAgain(portal, trader)
      await admin.patch(`/api/admin/user/${trader.id}/account`, { phase: 'Before' })
      await portal.mailed()

      await begin()
      const refused = await Promise.all([
        inTime(admin.patch(`/api/admin/user/${trader.id}/account`, { phase: 'Meanwhile' })),
        inTime(portal.browser().post('/api/register', { ...registration, email: newEmail() })),
      ])
      for (const { status, body, headers } of refused) {
        expect(status).toBe(503)
        expect(body).toEqual({ message: "We can't reach our servers right now. Please try again in a moment." })
        expect(Number(headers.get(RETRY_HEADER))).toBeGreaterThan(0)
      }
      expect((await inTime(reader.get('/api/user'))).body).toMatchObject({ id: trader.id })
      expect((await inTime(reader.get('/readyz'))).status).toBe(503)
      const states = [
        { name: 'event store', ready: false, needed: true },
        { name: 'view store', ready: true, needed: true },
      ]
      expect(await componentStates(portal.running.parts)()).toEqual(expect.arrayContaining(states))

      await end()
      const change = () => admin.patch(`/api/admin/user/${trader.id}/account`, { phase: 'After' })
      const accepted = await until(
        async () => {
          const answer = await change()
          return answer.status === 200 && answer
        },
        'changes to be taken again',
        30_000,
      )
      expect((await trader.get('/api/user/account', after(accepted))).body).toMatchObject({ phase: 'After' })
      await until(async () => (await reader.get('/readyz')).status === 200, 'the portal to be ready again')
      const phases = (await portal.events(`account-${trader.id}-a1`)).flatMap((event) =>
        event.type === 'PhaseChanged' ? [event.data.to] : [],
      )
      // What was refused may have been recorded: its outcome was unknown. Nothing is there twice.
      expect([
        ['Before', 'After'],
        ['Before', 'Meanwhile', 'After'],
      ]).toContainEqual(phases)
    })
})

/** The same person elsewhere, who has changed nothing since. */
async function signInAgain(portal: Portal, { email, password }: { email: string; password: string }): Promise<Browser> {
  const browser = portal.browser()
  expect((await browser.post('/api/login', { email, password })).status).toBe(200)
  return browser
}
