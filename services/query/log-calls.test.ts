import { afterAll, describe, expect, it } from 'vitest'
import { limits } from '#infra/event-store/eventstoredb-connection.ts'
import { startDouble } from '#test-support/eventstoredb-double/double.ts'
import type { Call } from '#test-support/eventstoredb-double/server.ts'
import { after, eligibleTrader } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal } from '#test-support/portal.ts'
import { runsSeparately } from '#test-support/separate-services.ts'
import { promptly } from '#test-support/promptly.ts'
import { until } from '#test-support/until.ts'
import { POSITION_HEADER } from '#services/framework/api/headers.ts'

const { servers } = limits
limits.servers = 2
const double = await startDouble()
const portal = await openPortal({ environment: { EVENTSTORE_URL: double.url, SEAL_SECONDS: '86400' } })
const admin = await portal.admin()
const trader = await eligibleTrader(portal, admin)
afterAll(async () => {
  await portal.stop()
  await double.close()
  limits.servers = servers
})

/** Waits until the worker has processed all events; from then on it makes no calls. */
const untilWorkerRests = async (): Promise<void> => {
  await portal.mailed()
  const { eventStore, readModelStore } = portal.running.parts
  const end = await eventStore.end()
  await until(
    async () => [...(await readModelStore.checkpoints.loadAll()).values()].every(({ position }) => position === end),
    'the worker to be idle',
  )
}

/** The calls to the log during an action. */
const callsDuring = async (work: () => Promise<unknown>): Promise<readonly Call[]> => {
  const before = double.calls.length
  await work()
  return double.calls.slice(before)
}

const reads: readonly (readonly [path: string, who: Browser])[] = [
  ['/api/user', trader],
  ['/api/user/account', trader],
  ['/api/user/payouts', trader],
  ['/api/user/certificates', trader],
  ['/api/user/account/history', trader],
  ['/api/user/notices', trader],
  ['/api/admin/auth', admin],
  ['/api/admin/stats', admin],
  ['/api/admin/stats/weeks', admin],
  ['/api/admin/users?limit=25', admin],
  [`/api/admin/user/${trader.id}`, admin],
  [`/api/admin/user/${trader.id}/account/history`, admin],
  ['/api/admin/payouts', admin],
]

describe('with the log on EventStoreDB', () => {
  it.each(reads)('GET %s does not call the log', async (path, who) => {
    // Each process reads a member of staff once.
    for (const _ of portal.running.each) await who.get(path)
    await untilWorkerRests()
    const calls = await callsDuring(async () => {
      for (let request = 0; request < 3; request++) expect((await who.get(path)).status).toBe(200)
    })
    expect(calls).toEqual([])
  })

  it('a read waiting for a change does not call the log', async () => {
    await untilWorkerRests()
    const change = await admin.patch(`/api/admin/user/${trader.id}`, { city: 'Paris' })
    const calls = await callsDuring(async () =>
      expect((await trader.get('/api/user', after(change))).body).toMatchObject({ city: 'Paris' }),
    )
    expect(calls.filter(({ stream }) => stream === '$all')).toEqual([])
  })

  // Separate processes also read what one of them has not read before, such as the trader's second factors.
  it.skipIf(runsSeparately).each([
    ['a payout request reads when its person last changed how to sign in, and is one append', true],
    ['a payout request without an account, of a person with one, reads no more than that', false],
  ])('%s', async (_what, isNamed) => {
    await untilWorkerRests()
    const account = `${trader.id}-a1`
    const calls = await callsDuring(async () => {
      const { status } = await trader.post(`/api/user/payouts${isNamed ? `?account=${account}` : ''}`, {
        amount: '10.00',
        paymentMethod: 'bank',
        paymentDetails: 'IBAN GB29 NWBK',
      })
      expect(status).toBe(201)
    })
    const own = calls.filter(({ stream }) => stream.includes(trader.id))
    const person = { kind: 'read', stream: `user-${trader.id}` }
    expect(own).toEqual([person, { kind: 'append', stream: `account-${account}` }])
  })

  it.each(['/api/admin/users', '/api/admin/system'])(
    'GET %s does not wait for a position beyond the log',
    async (path) => {
      expect((await promptly(admin.get(path, { headers: { [POSITION_HEADER]: '99999999999' } }), 2_000)).status).toBe(
        200,
      )
    },
  )
})
