import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it, vi } from 'vitest'
import { comparePositions, type EventToAppend, type Position } from '#infra/event-store/event-store.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import { toCents } from '#services/rules/money.ts'
import { signEvent } from '#services/event-sourcing/codec/event-authentication.ts'
import { encodeEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { eventHash } from '#services/event-sourcing/codec/hash-chain.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { streamName } from '#services/event-sourcing/aggregate-type.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { accountIdOf, userId } from '#services/framework/ids.ts'
import { loadProjectionState, requestRebuild } from '#services/event-sourcing/read-models/blue-green-rebuild.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import { readProjectionStatus } from '#services/event-sourcing/read-models/projection-progress.ts'
import { browser } from '#test-support/http-client.ts'
import { withStores } from '#test-support/stores.ts'
import { newEmail, registration } from '#test-support/portal.ts'
import {
  ADMIN_KEY,
  buildProgram,
  launchProgram,
  type Program,
  startProgram,
  temporaryFolder,
} from '#test-support/program.ts'
import { freePort } from '#test-support/servers/ports.ts'
import { until } from '#test-support/until.ts'

beforeAll(buildProgram, 600_000)
vi.setConfig({ testTimeout: 240_000 })

/** So many that reading them takes a while, and a kill in the middle can be hit. */
const EVENTS = 12_000

it('a rebuild resumes after kill -9 and repeats no mail', async () => {
  const dataDir = temporaryFolder()
  let portal = await startProgram({ dataDir })
  const id = await createUserWithMails(portal)
  await mailed(portal)
  const mails = await readdir(join(dataDir, 'outbox'))
  expect(mails.length).toBeGreaterThanOrEqual(2)
  await portal.stop()
  await withStores(dataDir, (parts) => changeBalance(parts, id))

  // Requested while no worker runs, so that it begins with the start.
  portal = await startProgram({ dataDir })
  await until(async () => (await statusOf(dataDir)).caughtUp, 'the view to be up to date', 120_000)
  let killedAt: { collection: string; position: Position } | undefined
  for (let tries = 0; !killedAt; tries++) {
    expect(tries, 'rebuilds that were over before they could be killed').toBeLessThan(20)
    await withStores(dataDir, ({ readModelStore }) => requestRebuild(readModelStore.projections, users))
    killedAt = await withStores(dataDir, async ({ eventStore, readModelStore }) => {
      for (;;) {
        const [state] = await readProjectionStatus(eventStore, readModelStore, [users])
        if (state?.building && state.building.fraction > 0.1 && state.building.fraction < 0.9) {
          await portal.kill()
          return (await readProjectionStatus(eventStore, readModelStore, [users]))[0]?.building ?? undefined
        }
        if (!state?.building && !state?.requested) return undefined
      }
    })
  }
  expect(portal.running()).toBe(false)
  const { serving } = await withStores(dataDir, ({ readModelStore }) =>
    loadProjectionState(readModelStore.projections, users),
  )
  expect(serving).not.toBe(killedAt.collection)

  portal = await startProgram({ dataDir })
  const { collection, position } = killedAt
  // Whenever it is looked at it is at or after the place where it was killed, until it is served.
  await withStores(dataDir, ({ readModelStore }) =>
    until(
      async () => {
        const state = await loadProjectionState(readModelStore.projections, users)
        const reached = await readModelStore.checkpoints.load(collection)
        expect(reached && comparePositions(reached.position, position)).toBeGreaterThanOrEqual(0)
        expect([serving, collection]).toContain(state.serving)
        expect([collection, null]).toContain(state.building)
        return state.serving === collection
      },
      'the rebuilt view to be served',
      120_000,
    ),
  )
  const admin = browser(portal.url)
  await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })
  expect((await admin.get(`/api/admin/user/${id}`)).body).toMatchObject({ tradingAccount: { balance: `${EVENTS}.00` } })
  await mailed(portal)
  expect((await readdir(join(dataDir, 'outbox'))).sort()).toEqual(mails.sort())
  await portal.stop()
})

it('is ready after kill -9 once the log is visible, without waiting for leases', async () => {
  const dataDir = temporaryFolder()
  const before = await startProgram({ dataDir })
  const id = await createUserWithMails(before)
  await before.kill()
  // As if the process had died between appending and projecting.
  await withStores(dataDir, (parts) => changeBalance(parts, id))

  const port = await freePort()
  const portal = launchProgram({ dataDir, environment: { PORT: String(port), LOG_LEVEL: 'info' } })
  const url = `http://127.0.0.1:${port}`
  await until(
    async () => (await fetch(new URL('/readyz', url)).catch(() => undefined))?.status === 200,
    'the portal to be ready',
    60_000,
  )
  // Read without a position, so that nothing is waited for.
  const admin = browser(url)
  await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })
  expect((await admin.get(`/api/admin/user/${id}`)).body).toMatchObject({ tradingAccount: { balance: `${EVENTS}.00` } })
  expect(portal.output()).toContain('The projector is at work')
  expect(portal.output()).not.toContain('stands by')
  await portal.stop()
})

async function createUserWithMails({ url }: Program): Promise<string> {
  const [trader, admin] = [browser(url), browser(url)]
  const { body } = await trader.post('/api/register', { ...registration, email: newEmail() })
  const id = String(Object(body).id)
  await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })
  for (const banned of [true, false])
    await admin.patch(`/api/admin/user/${id}/ban`, { banned, banReason: banned ? 'For a mail' : null })
  return id
}

async function mailed({ url }: Program): Promise<void> {
  const admin = browser(url)
  await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })
  await until(
    async () => /"waiting":0,"sent":[2-9]/.test((await admin.get('/readyz')).text),
    'the mails to be sent',
    60_000,
  )
}

const statusOf = (dataDir: string) =>
  withStores(dataDir, async ({ eventStore, readModelStore }) => {
    const [state] = await readProjectionStatus(eventStore, readModelStore, [users])
    if (!state) throw new Error('There is no such view')
    return state
  })

/** Many changes of one account, appended as the repositories does. */
async function changeBalance({ eventStore, secrets }: Dependencies, id: string): Promise<void> {
  const stream = streamName(accountStreams, accountIdOf(userId.parse(id), 1))
  let [revision, previous]: [number, string | null] = [-1, null]
  for await (const page of eventStore.readStream(stream))
    for (const event of page) [revision, previous] = [event.revision, eventHash(stream, event.revision, event)]
  for (let written = 0; written < EVENTS; written += 1_000) {
    const events: EventToAppend[] = []
    for (let n = written; n < written + 1_000; n++) {
      const event: EventToAppend = encodeEvent(
        eventRegistry,
        randomUUID(),
        { type: 'BalanceChanged', data: { from: toCents(n * 100), to: toCents((n + 1) * 100), kind: 'trade-result' } },
        { ...systemContext('test', 'r'), at: Date.now(), previous },
        undefined,
      )
      const signed = signEvent(secrets.eventKey, stream, revision + events.length + 1, event)
      previous = eventHash(stream, revision + events.length + 1, signed)
      events.push(signed)
    }
    await eventStore.append(stream, revision, events)
    revision += events.length
  }
}
