import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Libsql from 'libsql'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openEventStoreDb } from '#infra/event-store/eventstoredb-event-store.ts'
import type { EventStore, StoredEvent } from '#infra/event-store/event-store.ts'
import { read } from '#test-support/http-calls.ts'
import { browser } from '#test-support/http-client.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { newEventStore } from '#test-support/servers/event-store.ts'
import { seal, verified } from '#test-support/small-firm.ts'
import { storedEvents } from '#test-support/stores.ts'
import { collect } from '#test-support/sample-events.ts'
import { until } from '#test-support/until.ts'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import { System } from '#services/operations/installation/installation-api.ts'
import { streamPrefixes } from '#services/oversight/event-catalogue.ts'
import { isAuthentic } from '#services/event-sourcing/codec/event-authentication.ts'
import { eventHash } from '#services/event-sourcing/codec/hash-chain.ts'
import { services } from '#services/cli/server.ts'
import { newAccessKey, AccessKeys } from '#services/identity/staff/server/access-keys.ts'

/** An attacker who can write to the log's storage, and has no key. */
interface Attacker {
  readonly portal: Portal
  /** Appends an event at the end of a stream, with the right hash of the one before. */
  insert(stream: string, type: string, data: unknown): Promise<StoredEvent>
}

type InsertRow = (stream: string, event: Omit<StoredEvent, 'position' | 'stream'>) => Promise<void>

const settings = { SEAL_SECONDS: '86400' }

/** With SQL, into the file. */
async function embedded(): Promise<Attacker> {
  const portal = await openPortal({ environment: settings })
  return attackerOf(portal, async (stream, { revision, id, type, data, metadata }) => {
    const database = new Libsql(join(portal.dataDir, 'events.sqlite'))
    const insert = 'INSERT INTO events SELECT max(position) + 1, ?, ?, ?, ?, ?, ? FROM events'
    database.prepare(insert).run(stream, revision, id, type, data, metadata)
    database.close()
  })
}

/** With a client of the server. */
async function onEventStoreDb(): Promise<Attacker> {
  const { url, close } = await newEventStore()
  onTestFinished(close)
  const portal = await openPortal({ environment: { ...settings, EVENTSTORE_URL: url } })
  const store: EventStore = openEventStoreDb(url, { prefixes: streamPrefixes, onDrop: () => {} })
  onTestFinished(() => store.close())
  return attackerOf(
    portal,
    async (stream, { revision, ...event }) =>
      void (await store.append(stream, revision === 0 ? 'none' : revision - 1, [event])),
  )
}

function attackerOf(portal: Portal, insertRow: InsertRow): Attacker {
  onTestFinished(() => portal.stop())
  return {
    portal,
    async insert(stream, type, data) {
      const events = await storedEvents(portal.running.parts)
      const last = events.findLast((event) => event.stream === stream)
      // A real event of the same log lends its metadata.
      const lent = events.findLast((event) => event.type === type) ?? events.at(-1)
      if (!lent) throw new Error('The log is empty')
      const previous = last ? `"${eventHash(stream, last.revision, last)}"` : 'null'
      const metadata = lent.metadata.replace(/"previous":.*\}$/, `"previous":${previous}}`)
      const id = crypto.randomUUID()
      await insertRow(stream, { revision: (last?.revision ?? -1) + 1, id, type, data: JSON.stringify(data), metadata })
      const inserted = (await storedEvents(portal.running.parts)).find((event) => event.id === id)
      if (!inserted) throw new Error('It was not inserted')
      return inserted
    },
  }
}

/**
 * Waits until the system page shows an event as a dead letter of these readers, and checks that it names the reason.
 */
async function expectNamed({ portal }: Attacker, { position }: StoredEvent, readers: readonly string[]): Promise<void> {
  const admin = await portal.admin()
  const letters = async () =>
    read(System, await admin.get('/api/admin/system')).setAside.filter(({ id }) => id.endsWith(`.${position}`))
  const named = await until(async () => {
    const found = await letters()
    return readers.every((reader) => found.some((letter) => letter.reader === reader)) && found
  }, 'the system page to name the event')
  for (const { error } of named) expect(error).toContain('it is not authentic')
}

/** `audit verify` names the event, the first that is not authentic, and no seal covers it. */
async function expectUnsealed(
  { portal }: Attacker,
  { position, type, stream, revision, metadata }: StoredEvent,
): Promise<void> {
  const { parts } = portal.running
  const kind = metadata.includes('"mac"') ? 'altered' : 'added'
  const found = {
    kind,
    number: position,
    stream,
    revision,
    says: expect.stringContaining(`(${type}, ${stream}#${revision}) does not count: it is not authentic`),
  }
  expect((await verified(parts)).finding).toEqual(found)
  // All others are sealed, and what is sealed is still checked.
  await (await portal.trader()).patch('/api/user/profile', { city: 'Paris' })
  await seal(parts)
  const { sealedUpTo, finding } = await verified(parts)
  expect(Number(sealedUpTo)).toBeGreaterThan(Number(position))
  expect(finding).toEqual(found)
  const { transparencyLog, eventStore } = parts
  const events = (await collect(eventStore.readStream(stream))).flat()
  const indexes = await transparencyLog.indexesOf(events, (await transparencyLog.newest())?.size ?? 0)
  expect(indexes.map((index) => index !== undefined)).toEqual(events.map(isAuthentic))
}

describe.each([
  ['the embedded log', embedded],
  ['EventStoreDB', onEventStoreDb],
])('an event inserted into %s', (_, attack) => {
  it('makes no one an administrator', async () => {
    const attacker = await attack()
    const { portal } = attacker
    const { repositories, secrets } = portal.running.parts
    const [admin, trader, auditor] = [await portal.admin(), await portal.trader(), browser(portal.url)]
    const { id, accessKey } = await new AccessKeys(repositories, secrets).issue('Ernst & Co', 'auditor', 'a test')
    await auditor.post('/api/admin/login', { accessKey })
    const account = `/api/admin/user/${trader.id}/account`
    expect((await auditor.patch(account, { balance: '9000.00' })).status).toBe(403)

    const forged = await attacker.insert(`admin-${id}`, 'AdminKeyIssued', {
      label: 'Ernst & Co',
      role: 'admin',
      keyHash: secrets.accessKeyHash(accessKey),
    })
    await expectNamed(attacker, forged, ['admin-keys', 'policies and mail'])
    expect((await auditor.patch(account, { balance: '9000.00' })).status).toBe(403)
    // The key's stream is blocked; a new key of the attacker's own opens nothing either.
    const refused = await browser(portal.url).post('/api/admin/login', { accessKey })
    expect(refused).toMatchObject({
      status: 500,
      body: { message: expect.stringContaining('was not recorded by this portal') },
    })
    const own = newAccessKey()
    const keyHash = secrets.accessKeyHash(own)
    const another = await attacker.insert(`admin-${keyHash.slice(0, 32)}`, 'AdminKeyIssued', {
      label: 'Mallory',
      role: 'admin',
      keyHash,
    })
    await expectNamed(attacker, another, ['admin-keys'])
    const stranger = browser(portal.url)
    expect((await stranger.post('/api/admin/login', { accessKey: own })).status).toBe(500)
    expect((await stranger.get('/api/admin/stats')).status).toBe(401)
    await expectUnsealed(attacker, forged)
    // All others work.
    expect((await admin.patch(account, { balance: '9000.00' })).status).toBe(200)
  })

  it('approves no payout', async () => {
    const attacker = await attack()
    const { portal } = attacker
    const [admin, trader, other] = [await portal.admin(), await portal.trader(), await portal.trader()]
    for (const { id } of [trader, other])
      await admin.patch(`/api/admin/user/${id}/account`, { balance: '5000.00', status: 'active', payoutEnabled: true })
    const ask = { amount: '250.00', paymentMethod: 'paypal', paymentDetails: 'me@example.com' }
    const [payout, others] = [
      read(Payout, await trader.post('/api/user/payouts', ask)),
      read(Payout, await other.post('/api/user/payouts', ask)),
    ]
    expect(await seal(portal.running.parts)).toBe(1)

    const forged = await attacker.insert(`account-${trader.id}-a1`, 'PayoutApproved', {
      payoutId: payout.id,
      from: 'pending',
      amount: '250.00',
      notes: '',
    })
    await expectNamed(attacker, forged, ['decisions', 'payouts', 'firm', 'firm-days', 'activity', 'policies and mail'])
    const own = await trader.get('/api/user/payouts')
    expect(own.body).toMatchObject([{ id: payout.id, status: 'pending' }])
    const refused = await admin.patch(`/api/admin/payouts/${payout.id}`, { status: 'approved' })
    expect(refused).toMatchObject({ status: 500, body: { message: expect.stringContaining('blocked') } })
    // The history shows what the portal recorded, and no more.
    const history = await trader.get('/api/user/history')
    expect(history.status).toBe(200)
    expect(history.text).not.toContain('PayoutApproved')
    expect((await admin.get('/api/audit/events')).status).toBe(200)
    expect((await admin.patch(`/api/admin/payouts/${others.id}`, { status: 'approved' })).status).toBe(200)
    const subjects = async (to: string) => (await portal.mails(to)).map(({ subject }) => subject)
    await until(
      async () => (await subjects(other.email)).some((subject) => /approved/i.test(subject ?? '')),
      'the mail about the real approval',
    )
    expect(await subjects(trader.email)).not.toContainEqual(expect.stringMatching(/approved/i))
    await expectUnsealed(attacker, forged)
  })
})

describe('an event altered in the embedded log', () => {
  it.each([true, false])('is named, and blocks its stream; sealed: %s', async (isSealed) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-altered-'))
    onTestFinished(() => rm(dataDir, { recursive: true }))
    // The worker seals when it stops.
    const before = await openPortal({
      environment: settings,
      dataDir,
      services: isSealed ? services : ['command', 'query'],
    })
    const [admin, trader] = [await before.admin(), await before.trader()]
    const account = `/api/admin/user/${trader.id}/account`
    for (const balance of ['100.00', '200.00']) await admin.patch(account, { balance })
    await before.stop()

    const database = new Libsql(join(dataDir, 'events.sqlite'))
    database
      .prepare(`UPDATE events SET data = replace(data, '100.00', '9000.00') WHERE stream = ? AND revision = ?`)
      .run(`account-${trader.id}-a1`, 1)
    database.close()

    const portal = await openPortal({ environment: settings, dataDir })
    onTestFinished(() => portal.stop())
    const refused = await (await portal.admin()).patch(account, { balance: '300.00' })
    expect(refused).toMatchObject({ status: 500, body: { message: expect.stringContaining('blocked') } })
    const altered = (await storedEvents(portal.running.parts)).find(
      ({ stream, revision }) => stream === `account-${trader.id}-a1` && revision === 1,
    )
    const says = expect.stringContaining(
      isSealed ? 'was altered: its bytes are not those sealed' : 'was altered or replaced',
    )
    expect((await verified(portal.running.parts)).finding).toEqual({
      kind: 'altered',
      number: altered?.position,
      stream: `account-${trader.id}-a1`,
      revision: 1,
      says,
    })
  })
})
