import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type StoredEvent, toPosition } from '#infra/event-store/event-store.ts'
import { Readiness } from '#services/framework/api/health-schemas.ts'
import { System } from '../installation-api.ts'
import { payouts } from '#services/trading/accounts/payout-read-model.ts'
import { users } from '#services/trading/accounts/user-read-model.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import type { Browser } from '#test-support/http-client.ts'
import { read } from '#test-support/http-calls.ts'
import { isExternal } from '#test-support/portal-stores.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { appendUnknownEvent } from '#test-support/unknown-event.ts'
import { until } from '#test-support/until.ts'
import type { ReadModelStore } from '#infra/read-model-store/read-model-store.ts'
import { signEvent } from '#services/event-sourcing/codec/event-authentication.ts'
import type { Projection } from '#services/event-sourcing/read-models/projection.ts'
import { loadProjectionState, requestRebuild } from '#services/event-sourcing/read-models/blue-green-rebuild.ts'
import { allProjections } from '#services/portal/modules.ts'
import { formatEstimate, estimateOf } from '#services/event-sourcing/read-models/projection-progress.ts'
import { POLICY_SUBSCRIPTION } from '#services/worker/policy-subscription.ts'

const portal = await openPortal({ environment: { SEAL_SECONDS: '1' } })
const admin = await portal.admin()
afterAll(() => portal.stop())

const system = async (who: Browser = admin) => read(System, await who.get('/api/admin/system'))
const reader = async (name: string) => (await system()).readers.find((one) => one.name === name)

/** Appends an event of a newer program, whose type no projection or reaction knows. */
const somethingFromTheFuture = async (parts: Dependencies) =>
  Number(await appendUnknownEvent(parts, `user-future${crypto.randomUUID().slice(0, 8)}`))

/** The collection that serves queries. */
const serving = async (states: ReadModelStore['projections'], projection: Projection) =>
  (await loadProjectionState(states, projection)).serving

/** Adds a dead letter as an older program would; this program can process the event. */
async function addDeadLetter(
  { readModelStore }: Dependencies,
  name: string,
  { stream, revision, position, type }: { stream: string; revision: number; position: string; type: string },
) {
  await readModelStore.deadLetters.add({
    consumer: name,
    stream,
    revision,
    position: toPosition(position),
    type,
    error: 'the program of last week could not use it',
  })
}

describe('GET /api/admin/system', () => {
  it('does not wait for a position beyond the log', async () => {
    // Without a worker, a request with the end of the log waits for the full time-out.
    const own = await openPortal({ services: ['command', 'query'] })
    try {
      const someone = await own.admin()
      const end = await own.running.parts.eventStore.end()
      const ask = async (position: string) => {
        const { status, headers } = await someone.get('/api/admin/system', {
          headers: { 'X-Proofdesk-Position': position },
        })
        return { position, status, shown: headers.get('X-Proofdesk-Shown') }
      }
      const waits = ask(end)
      const first = await Promise.race([ask('99999999999999999999'), waits])
      expect(first).toEqual({ position: '99999999999999999999', status: 200, shown: null })
      expect(await waits).toMatchObject({ status: 200 })
    } finally {
      await own.stop()
    }
  })

  it('reports parts, read models, mails and seals', async () => {
    const trader = await portal.trader()
    await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'For a mail' })
    await portal.mailed()
    const status = await until(async () => {
      const now = await system()
      // The event of a sent mail is appended after the mail is counted.
      return (
        now.readers.every(({ position }) => position === now.newest) &&
        now.seals.unsealed === 0 &&
        // Its own event comes after what a seal covers.
        (now.seals.newest?.upTo ?? now.newest) < now.newest &&
        now.mail.sent >= 1 &&
        now
      )
    }, 'everything to be idle')
    expect(status.parts.map(({ name }) => name)).toEqual([
      'event store',
      'view store',
      'key store',
      'session store',
      'mail queue',
      'mail transport',
      'file store',
    ])
    expect(status.parts.every(({ ready }) => ready)).toBe(true)
    expect(status.readers.map(({ name }) => name)).toEqual([
      ...allProjections.map(({ name }) => name),
      POLICY_SUBSCRIPTION,
    ])
    for (const { position, catchingUp, rebuild } of status.readers)
      expect({ position, catchingUp, rebuild }).toEqual({ position: status.newest, catchingUp: null, rebuild: null })
    expect(status.mail).toMatchObject({ waiting: 0, failed: 0, failures: [] })
    expect(status.serverErrors.count).toBe(0)
    expect(status.seals.newest?.number).toBeGreaterThanOrEqual(1)
    expect(status.seals.newest?.upTo).toBeLessThan(status.newest)
    expect(status.seals).toMatchObject({ everySeconds: 1, kept: isExternal('s3') ? 'elsewhere' : 'in the data folder' })
  })

  it('is for administrators and auditors only', async () => {
    expect((await system(await portal.auditor())).parts).not.toEqual([])
    for (const stranger of [portal.browser(), await portal.trader()])
      expect((await stranger.get('/api/admin/system')).status).toBe(401)
  })

  it('lists failed mails with their errors, without addresses', async () => {
    const own = await openPortal()
    try {
      const trader = await own.trader()
      const { outbox, eventStore } = own.running.parts
      // It refers to no event that a mail could be about.
      const job = { id: crypto.randomUUID(), kind: 'UserBanned', stream: `user-${trader.id}`, revision: 77 } as const
      // The worker runs meanwhile, so read the outbox again on a conflict.
      await until(async () => {
        await outbox.checkpoint()
        return outbox.enqueue([job], await eventStore.checkpointAtEnd()).then(
          () => true,
          () => false,
        )
      }, 'the mail to be queued')
      const { failures } = await until(async () => {
        const { mail } = await system(await own.admin())
        // The queue is asked for their number and for them one after the other.
        return mail.failures.length === 1 && mail
      }, 'the mail to fail')
      expect(failures).toMatchObject([{ kind: 'UserBanned', stream: `user-${trader.id}`, attempts: 1 }])
    } finally {
      await own.stop()
    }
  })
})

describe('a rebuild', () => {
  it('is reported with its progress and remaining time', async () => {
    const { projections } = portal.running.parts.readModelStore
    const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-system-'))
    // Without a worker it makes no progress, and can be inspected.
    const still = await openPortal({ dataDir, services: ['command', 'query'] })
    try {
      const [own, states] = [await still.admin(), still.running.parts.readModelStore.projections]
      await requestRebuild(states, users)
      const reader = (await system(own)).readers.find(({ name }) => name === 'users')
      expect(reader?.rebuild).toEqual({ state: 'asked', position: 0, fraction: 0, secondsLeft: null })
      const end = Number(await still.running.parts.eventStore.end())
      const pace = { collection: 'users_v99_2', at: Date.now(), perSecond: end / 10 }
      await states.update('users', { rebuildRequested: false, building: 'users_v99_2', pace })
      const building = (await system(own)).readers.find(({ name }) => name === 'users')
      expect(building?.rebuild).toEqual({ state: 'building', position: 0, fraction: 0, secondsLeft: 10 })
      expect((await own.get('/readyz')).text).toContain('"secondsLeft":10')
    } finally {
      await still.stop()
      await rm(dataDir, { recursive: true, force: true })
    }
    const before = await serving(projections, users)
    await requestRebuild(projections, users)
    await until(
      async () => (await reader('users'))?.rebuild === null && (await serving(projections, users)) !== before,
      'the rebuild to be over',
    )
  })

  it('is estimated by its pace, and not without a worker', () => {
    const [at, end] = [1_000_000, toPosition('1000')]
    const pace = { at, perSecond: 100 }
    expect(estimateOf(toPosition('250'), end, pace, at + 500)).toEqual({ fraction: 0.25, secondsLeft: 8 })
    expect(estimateOf(toPosition('250'), end, pace, at + 60_000)).toEqual({ fraction: 0.25, secondsLeft: null })
    expect(estimateOf(toPosition('250'), end, { at, perSecond: 0 }, at)).toEqual({ fraction: 0.25, secondsLeft: null })
    expect(estimateOf(toPosition('250'), end, null, at)).toEqual({ fraction: 0.25, secondsLeft: null })
    expect(estimateOf(toPosition('1000'), end, pace, at)).toEqual({ fraction: 1, secondsLeft: null })
    expect(formatEstimate({ fraction: 0.439, secondsLeft: 12 })).toBe('43 %, about 12 s left')
    expect(formatEstimate({ fraction: 1, secondsLeft: null })).toBe('100 %')
  })
})

describe('a dead letter', () => {
  it('is shown with its error to administrators, at /readyz without the person, and not to the public', async () => {
    const number = await somethingFromTheFuture(portal.running.parts)
    const { setAside: shown } = await until(async () => {
      const now = await system()
      return now.setAside.filter((event) => event.number === number).length === allProjections.length + 1 && now
    }, 'every subscription to dead-letter it')
    const one = shown.find(({ id }) => id === `users.${number}`)
    expect(one).toMatchObject({
      reader: 'users',
      number,
      revision: 0,
      type: 'FromTheFuture',
      retrying: false,
      error: expect.stringContaining('unknown event type'),
    })
    expect(shown.some(({ id }) => id === `policies-and-mail.${number}`)).toBe(true)
    expect((await portal.browser().get('/readyz')).body).toEqual({ status: 'ok' })
    const { text, body } = await admin.get('/readyz')
    expect(Readiness.parse(body).status).toBe('ok')
    expect(text).toContain(`"id":"users.${number}"`)
    expect(text).toContain('unknown event type')
    expect(text).not.toContain(one?.stream.replace('user-', ''))
  })

  it('is retried on request by a rebuild, and then removed', async () => {
    const trader = await portal.trader()
    const { projections } = portal.running.parts.readModelStore
    const [registered] = await portal.userEvents(trader.id)
    if (!registered) throw new Error('No event found')
    const before = await serving(projections, users)
    await addDeadLetter(portal.running.parts, before, registered)
    const id = `users.${registered.position}`
    expect((await system()).setAside.map((event) => event.id)).toContain(id)

    expect((await admin.post(`/api/admin/system/poison/${id}/retry`)).status).toBe(200)
    await until(async () => !(await system()).setAside.some((event) => event.id === id), 'it to be processed')
    expect(await serving(projections, users)).not.toBe(before)
    // The event names who requested it.
    const requests = (await portal.events('installation-this')).filter(({ type }) => type === 'RetryRequested')
    expect(requests.at(-1)).toMatchObject({
      data: { reader: 'users', stream: `user-${trader.id}`, revision: 0 },
      metadata: { actor: { kind: 'admin', label: 'ADMIN_ACCESS_KEY' } },
    })
    expect((await admin.get(`/api/admin/user/${trader.id}`)).status).toBe(200)
  })

  it('stays with its error while the event cannot be processed', async () => {
    const number = await somethingFromTheFuture(portal.running.parts)
    const id = `payouts.${number}`
    await until(async () => (await system()).setAside.some((event) => event.id === id), 'the dead letter')
    const generation = () => serving(portal.running.parts.readModelStore.projections, payouts)
    const before = await generation()
    expect((await admin.post(`/api/admin/system/poison/${id}/retry`)).status).toBe(200)
    await until(async () => (await generation()) !== before, 'the rebuild')
    await until(
      async () => (await system()).setAside.some((event) => event.id === id && !event.retrying),
      'the retry to be over',
    )
  })

  it('is mailed about exactly once after a retry of the policies', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-retry-'))
    try {
      const { trader, number } = await unmailed(dataDir)
      const own = await openPortal({ dataDir })
      const boss = await own.admin()
      const id = `policies-and-mail.${number}`
      expect(await own.mails(trader.email)).toEqual([])
      for (const expected of [200, 404]) {
        expect((await boss.post(`/api/admin/system/poison/${id}/retry`)).status).toBe(expected)
        await own.mailed()
        await until(async () => !(await system(boss)).setAside.some((event) => event.id === id), 'it to be processed')
      }
      expect((await own.mailsTo(trader.email, 1)).map(({ subject }) => subject)).toEqual([
        'Your Proofdesk account was banned',
      ])
      await own.stop()
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })

  it("that cannot be decrypted does not block others' mails", async () => {
    const [one, other] = [await portal.trader(), await portal.trader()]
    const { eventStore, secrets } = portal.running.parts
    let previous: StoredEvent | undefined
    for await (const page of eventStore.readStream(`user-${one.id}`)) previous = page.at(-1)
    if (!previous) throw new Error('No event found')
    const broken = JSON.stringify({ fields: ['email'], emailClaim: 'c0ffee', personal: 'AAAA' })
    const { stream, revision } = previous
    const event = {
      id: crypto.randomUUID(),
      type: 'ProfileChanged',
      data: broken,
      metadata: previous.metadata.replace(/,"mac":"[^"]+"/, ''),
    }
    const { position } = await eventStore.append(stream, revision, [
      signEvent(secrets.eventKey, stream, revision + 1, event),
    ])
    await admin.patch(`/api/admin/user/${other.id}/ban`, { banned: true, banReason: 'For a mail' })
    expect(await portal.mailsTo(other.email, 1)).toHaveLength(1)
    const wanted = [`users.${position}`, `policies-and-mail.${position}`]
    await until(async () => {
      const ids = (await system()).setAside.map((event) => event.id)
      return wanted.every((id) => ids.includes(id))
    }, 'both to set it aside')
  })

  it('is retried for administrators only, and only if it exists', async () => {
    const number = await somethingFromTheFuture(portal.running.parts)
    await until(async () => (await system()).setAside.some((event) => event.id === `firm.${number}`), 'the dead letter')
    const before = (await portal.events('installation-this')).length
    const path = `/api/admin/system/poison/firm.${number}/retry`
    expect((await (await portal.auditor()).post(path)).status).toBe(403)
    expect((await portal.browser().post(path)).status).toBe(401)
    expect((await admin.post('/api/admin/system/poison/firm.999999/retry')).status).toBe(404)
    expect((await admin.post('/api/admin/system/poison/nobody/retry')).status).toBe(404)
    expect(await portal.events('installation-this')).toHaveLength(before)
  })
})

/** A ban that an older worker could not process and dead-lettered. */
async function unmailed(dataDir: string): Promise<{ trader: Awaited<ReturnType<Portal['trader']>>; number: number }> {
  const half = await openPortal({ dataDir, services: ['command', 'query'] })
  const trader = await half.trader()
  expect(
    (await (await half.admin()).patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'For a mail' }))
      .status,
  ).toBe(200)
  const banned = (await half.userEvents(trader.id)).at(-1)
  if (!banned) throw new Error('No event found')
  const { outbox, eventStore } = half.running.parts
  // Another process may have written it since.
  await outbox.checkpoint()
  await outbox.enqueue([], await eventStore.checkpointAtEnd())
  await addDeadLetter(half.running.parts, POLICY_SUBSCRIPTION, banned)
  await half.stop()
  return { trader, number: Number(banned.position) }
}
