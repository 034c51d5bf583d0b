import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openMongodbReadModelStore } from '#infra/read-model-store/mongodb-read-model-store.ts'
import type { Document } from '#infra/read-model-store/read-model-store.ts'
import { PREFIX } from '#infra/redis/redis-connection.ts'
import { SESSION_COOKIE } from '#services/framework/api/headers.ts'
import { AdminPayout, Payout } from '#services/payments/payouts/payout-api.ts'
import { hashToken } from '#services/process/keys/derived-secrets.ts'
import { compareDocuments } from '#test-support/compare-documents.ts'
import { documentAttacks } from '#test-support/document-attacks.ts'
import { eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { withRawDocuments } from '#test-support/raw-documents.ts'
import { rewriteDocument } from '#test-support/rewrite-document.ts'
import { type FerretDb, startFerretDb, whyNoFerretDb } from '#test-support/servers/ferretdb.ts'
import { type RedisServer, startRedis, whyNoRedis } from '#test-support/servers/redis.ts'
import { until } from '#test-support/until.ts'

/**
 * Who can write to the servers, and has no key, uses the clients that the portal itself uses: documents and leases in
 * MongoDB, sessions, limits and jobs in Redis. The embedded stores have the same attacks in forged-documents.test.ts,
 * forged-rows.test.ts and foreign-content.test.ts.
 */

const missing = whyNoFerretDb ?? whyNoRedis

describe.skipIf(missing)(`with read models and sessions on servers${missing ? ` (${missing})` : ''}`, () => {
  let mongodb: FerretDb
  let mongo: MongoClient
  let server: RedisServer
  let redis: Redis
  let portal: Portal
  let admin: Browser
  let ada: Trader

  beforeAll(async () => {
    mongodb = await startFerretDb()
    server = await startRedis()
    const url = mongodb.newUrl()
    mongo = new MongoClient(url)
    redis = new Redis(server.url)
    portal = await openPortal({
      environment: {
        ...{ MONGODB_URL: url, REDIS_URL: server.url, METRICS_PORT: '0' },
        MASTER_KEY: 'a master key for tests only, nowhere else',
      },
    })
    admin = await portal.admin()
    ada = await eligibleTrader(portal, admin)
  })
  afterAll(async () => {
    await portal.stop()
    redis.disconnect()
    await mongo.close()
    await server.close()
    await mongodb.close()
  })

  const requested = async () => {
    const request = { amount: '50.00', paymentMethod: 'paypal', paymentDetails: ada.email }
    return read(Payout, await ada.post('/api/user/payouts', request)).id
  }
  const listed = async (id: string) => {
    const answer = await admin.get(`/api/admin/payouts?userId=${ada.id}&limit=100`, await portal.atEnd())
    return read(z.array(AdminPayout), answer).find((payout) => payout.id === id)
  }
  const servingOf = async (projection: string) =>
    (await portal.running.parts.readModelStore.projections.load(projection))?.serving
  const alarms = async (store: string) => {
    const metric = await portal.running.parts.meters?.forgedRows.get()
    return metric?.values.find(({ labels }) => labels.store === store)?.value ?? 0
  }

  const documents: readonly [string, (document: Document, other: Document) => Document][] = [
    ['another amount', (document) => ({ ...document, amount: 5_000_00 })],
    ['the destination of another', (document, other) => ({ ...document, details: other['details'] ?? null })],
    ['the document of another under its id', (document, other) => ({ ...other, id: document['id'] ?? null })],
    ['no MAC', ({ '~mac': _mac, ...document }) => document],
    ['another position', (document) => ({ ...document, '~mac': String(document['~mac']).replace(/^\d+/, '9999999') })],
  ]
  it.each(documents)('a payout whose document got %s is not shown until it is rebuilt', async (_, attack) => {
    const [id, other] = [await requested(), await requested()]
    const whole = await listed(id)
    const [serving, before] = [await servingOf('payouts'), await alarms('read models')]
    const others = await rewriteDocument(portal, 'payouts', other, (document) => document)
    await rewriteDocument(portal, 'payouts', id, (document) => attack(document, others))
    expect([undefined, whole]).toContainEqual(await listed(id))
    await until(async () => (await servingOf('payouts')) !== serving, 'a rebuild of payouts')
    expect(await until(() => listed(id), `${id} to be listed again`)).toEqual(whole)
    expect(await alarms('read models')).toBeGreaterThan(before)
  })

  const ways = Object.entries(documentAttacks).filter(
    ([, { action, isPlaced }]) => !isPlaced && (action === 'delete' || action === 'put back'),
  )
  it.each(ways)('a payout that is %s is told in one round, and made again', async (_, { run }) => {
    const [id, other] = [await requested(), await requested()]
    await listed(other)
    const rowOf = (of: string) => withRawDocuments(portal, 'payouts', (documents) => documents.read(of))
    const older = await rowOf(id)
    expect((await admin.patch(`/api/admin/payouts/${id}`, { status: 'rejected', adminNotes: 'No' })).status).toBe(200)
    const [whole, serving] = [await listed(id), await servingOf('payouts')]
    const others = await rowOf(other)
    await withRawDocuments(portal, 'payouts', async (documents) =>
      run({ documents, row: await documents.read(id), older, other: others, foreign: others }),
    )
    const { differences } = await compareDocuments(portal.running.parts)
    expect(differences.map(({ view }) => view)).toEqual(['payouts'])
    await until(async () => (await servingOf('payouts')) !== serving, 'a rebuild of payouts')
    expect(await until(() => listed(id), `${id} to be listed again`)).toEqual(whole)
  })

  it('a payout that nobody asked for is not shown', async () => {
    const id = await requested()
    await listed(id)
    const [serving, before] = [await servingOf('payouts'), await alarms('read models')]
    const documents = mongo.db().collection<{ _id: string; document: string }>(`view_${serving}`)
    const row = await documents.findOne({ _id: id })
    const forged = id.replace(/p\d+$/, 'p999')
    await documents.insertOne({ ...row, _id: forged, document: row?.document.replaceAll(id, forged) ?? '' })
    expect(await listed(forged)).toBeUndefined()
    await until(async () => (await servingOf('payouts')) !== serving, 'a rebuild of payouts')
    expect(await listed(forged)).toBeUndefined()
    expect(await listed(id)).toBeDefined()
    expect(await alarms('read models')).toBeGreaterThan(before)
  })

  describe('a lease', () => {
    const LEASE = 200
    type Row = { _id: string; holder?: unknown; renewals?: unknown; ms?: unknown }
    const rows = () => mongo.db().collection<Row>('leases')

    const forgeries: readonly [string, Omit<Row, '_id'>][] = [
      ['of the far future', { holder: 'thief', renewals: 1, ms: 1e15 }],
      ['for a time that is none', { holder: 'thief', renewals: 1, ms: 'for ever' }],
      ['without a time', { holder: 'thief', renewals: 1 }],
      ['whose number never stays the same', { holder: 'thief', renewals: { never: 'equal' }, ms: LEASE }],
      ['whose number cannot be counted up', { holder: 'thief', renewals: 'many', ms: LEASE }],
      ['of nobody', { renewals: 1, ms: LEASE }],
    ]
    it.each(forgeries)('inserted %s is over soon', async (name, row) => {
      const store = openMongodbReadModelStore(mongodb.urlOf(mongo.db().databaseName))
      await rows().insertOne({ _id: name, ...row })
      await until(() => store.leases.acquire(name, 'an owner', LEASE), `the lease inserted ${name}`, 10_000)
      expect(await store.leases.acquire(name, 'another owner', LEASE)).toBe(false)
      expect(await store.leases.acquire(name, 'an owner', LEASE)).toBe(true)
      await store.close()
    })

    it.each([
      ['another holder', { holder: 'thief' }],
      ['a number that cannot be counted up', { renewals: 'many' }],
      ['a time that is none', { ms: 'for ever' }],
      ['an earlier number', { renewals: 0 }],
    ])('of the worker that got %s stops no work', async (_, change) => {
      await rows().updateOne({ _id: 'projector' }, { $set: change })
      const id = await requested()
      await until(async () => (await listed(id).catch(() => undefined)) !== undefined, `${id} to be listed`)
    })

    it('of the worker that was deleted stops no work', async () => {
      await rows().deleteOne({ _id: 'projector' })
      const id = await requested()
      await until(async () => (await listed(id).catch(() => undefined)) !== undefined, `${id} to be listed`)
    })
  })

  describe('a session', () => {
    const idOf = (client: Browser) => hashToken(client.cookies.get(SESSION_COOKIE) ?? '')
    const keyOf = (idHash: string) => `${PREFIX}:session:${idHash}`
    const statusOf = async (client: Browser) => (await client.get('/api/user/sessions')).status
    /** As Redis keeps it, with its place among those of its subject. */
    const put = async (idHash: string, row: Readonly<Record<string, string>>) => {
      await redis.hset(keyOf(idHash), row)
      await redis.sadd(`${PREFIX}:sessions:${row['kind']}:${row['subject']}`, idHash)
    }

    it.each<readonly [string, (own: Record<string, string>, other: Record<string, string>) => Record<string, string>]>([
      ['another owner', (own, other) => ({ ...own, subject: other['subject'] ?? '' })],
      ['another owner and its MAC', (_, other) => other],
      ['a later use, to live longer', (own) => ({ ...own, lastSeenAt: String(Number(own['lastSeenAt']) + 1) })],
      ['no MAC', (own) => ({ ...own, mac: '' })],
    ])('with %s counts as absent', async (_, altered) => {
      const [own, other] = [await portal.trader(), await portal.trader()]
      const before = await alarms('session store')
      await put(idOf(own), altered(await redis.hgetall(keyOf(idOf(own))), await redis.hgetall(keyOf(idOf(other)))))
      expect(await statusOf(own)).toBe(401)
      expect(await statusOf(other)).toBe(200)
      expect(await alarms('session store')).toBeGreaterThan(before)
    })

    it('inserted for somebody opens nothing, and one that was deleted is over', async () => {
      const [victim, thief] = [await portal.trader(), portal.browser()]
      const row = await redis.hgetall(keyOf(idOf(victim)))
      thief.cookies.set(SESSION_COOKIE, 'a'.repeat(43))
      await put(idOf(thief), row)
      expect(await statusOf(thief)).toBe(401)
      expect(await statusOf(victim)).toBe(200)
      await redis.del(keyOf(idOf(victim)))
      expect(await statusOf(victim)).toBe(401)
    })

    it('of before a ban, and of before staff ended it, that is put back opens nothing', async () => {
      const [banned, ended] = [await portal.trader(), await portal.trader()]
      const rows = new Map<Trader, Record<string, string>>()
      for (const one of [banned, ended]) rows.set(one, await redis.hgetall(keyOf(idOf(one))))
      await admin.patch(`/api/admin/user/${banned.id}/ban`, { banned: true, banReason: 'Copied trades' })
      expect((await admin.delete(`/api/admin/user/${ended.id}/sessions`)).status).toBe(200)
      await redis.del(`${PREFIX}:suspension:trader:${banned.id}`)
      for (const [one, row] of rows) await put(idOf(one), row)
      expect(await statusOf(banned)).toBe(403)
      expect(await statusOf(ended)).toBe(401)
    })
  })

  it('a limit whose count is no number lets nobody guess', async () => {
    const ben = await portal.trader()
    await portal.browser().post('/api/login', { email: ben.email, password: 'wrong' })
    for (const key of await redis.keys(`${PREFIX}:rate:*`)) await redis.set(key, 'none')
    const guess = await portal.browser().post('/api/login', { email: ben.email, password: 'wrong' })
    expect(guess.status).toBeGreaterThanOrEqual(500)
    for (const key of await redis.keys(`${PREFIX}:rate:*`)) await redis.del(key)
    expect(await portal.browser().post('/api/login', { email: ben.email, password: ben.password })).toMatchObject({
      status: 200,
    })
  })

  const limits = () => redis.keys(`${PREFIX}:rate:*`)
  it.each<readonly [string, (counts: readonly (readonly [string, string | null])[]) => Promise<unknown>]>([
    ['deleted', async () => redis.del(...(await limits()))],
    ['put back', (counts) => Promise.all(counts.map(([key, count]) => redis.set(key, count ?? '0', 'EX', 600)))],
    ['inserted', (counts) => Promise.all(counts.map(([key]) => redis.set(key, '99999', 'EX', 600)))],
  ])('a limit that was %s opens nothing without the password', async (_, attack) => {
    const eve = await portal.trader()
    const guess = async () => {
      const { status } = await portal.browser().post('/api/login', { email: eve.email, password: 'wrong' })
      return status
    }
    expect(await guess()).toBe(401)
    const counts = await Promise.all((await limits()).map(async (key) => [key, await redis.get(key)] as const))
    expect(await guess()).toBe(401)
    await attack(counts)
    expect([401, 429]).toContain(await guess())
    await redis.del(...(await limits()))
  })

  describe('a job of the mail queue', () => {
    let queue: Queue
    beforeAll(() => {
      queue = new Queue('mail', { connection: { host: '127.0.0.1', port: server.port }, prefix: PREFIX })
    })
    afterAll(() => queue.close())

    const options = { attempts: 1_000, backoff: { type: 'custom' }, removeOnFail: false }
    const failedIds = async () => (await portal.running.parts.outbox.failed()).map(({ id }) => id)
    const lastOf = async (trader: Trader) => {
      const event = (await portal.events(`user-${trader.id}`)).findLast(({ type }) => type === 'UserRegistered')
      if (!event) throw new Error('Nobody registered')
      return event
    }

    it('about a mail that was sent sends none again', async () => {
      const cy = await portal.trader()
      await portal.mailed()
      const { id, type, stream, revision } = await lastOf(cy)
      const before = await portal.allMails(cy.email)
      await (await queue.getJob(id))?.remove()
      await queue.add(type, { kind: type, stream, revision }, { ...options, jobId: id })
      await portal.mailed()
      expect(await portal.allMails(cy.email)).toHaveLength(before.length)
    })

    it.each<readonly [string, (event: { readonly stream: string; readonly revision: number }) => object]>([
      ['with an id of its own', ({ stream, revision }) => ({ kind: 'UserRegistered', stream, revision })],
      ['about no event', ({ stream }) => ({ kind: 'UserRegistered', stream, revision: 999 })],
      ['about no stream', () => ({ kind: 'UserRegistered', stream: 'nothing', revision: 0 })],
      ['of other content', () => ({ to: 'thief@example.com', text: 'Pay here' })],
      ['of no content', () => ({})],
    ])('%s sends nothing, is told, and stops no other', async (name, forged) => {
      const dora = await portal.trader()
      await portal.mailed()
      const before = await portal.allMails(dora.email)
      const id = `forged-${name.replaceAll(' ', '-')}`
      await queue.add('UserRegistered', forged(await lastOf(dora)), { ...options, jobId: id })
      await until(async () => (await failedIds()).includes(id), `the job ${name} to fail`)
      expect(await portal.allMails(dora.email)).toHaveLength(before.length)
      await portal.browser().post('/api/forgot-password', { email: dora.email })
      await portal.mailsTo(dora.email, 1)
      expect((await admin.get('/api/admin/system')).status).toBe(200)
    })
  })
})
