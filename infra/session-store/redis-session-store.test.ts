import { randomUUID } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { Unavailable } from '#infra/failures.ts'
import { openRedis } from '#infra/redis/redis-connection.ts'
import { describeRedis, type RedisServerOptions, startRedis } from '#test-support/servers/redis.ts'
import { sessionStoreConformance } from './session-store.conformance.ts'
import { createRedisSessionStore } from './redis-session-store.ts'

describeRedis('sessions in a real Redis', (shared) => {
  sessionStoreConformance('session store in Redis', async () => {
    const { redis } = shared()
    const prefix = `test-${randomUUID()}`
    return { open: () => createRedisSessionStore(redis, prefix) }
  })

  const session = () =>
    ({
      idHash: randomUUID(),
      kind: 'trader',
      subject: randomUUID(),
      createdAt: 1,
      lastSeenAt: 1,
      suspension: null,
      mac: 'a MAC',
    }) as const
  const client = { browser: 'Chrome', address: '192.0.2.1' }
  /** A store on its own server. */
  const storeOn = async (options: RedisServerOptions) => {
    const own = await startRedis(options)
    onTestFinished(() => own.close())
    const connection = openRedis(own.url)
    onTestFinished(() => connection.close())
    return { own, store: createRedisSessionStore(connection) }
  }

  it('purges any number of sessions with all their keys', async () => {
    const { redis } = shared()
    const prefix = `test-${randomUUID()}`
    const store = createRedisSessionStore(redis, prefix)
    const kept = { ...session(), createdAt: 100, lastSeenAt: 100 }
    await Promise.all(Array.from({ length: 1_200 }, () => store.create(session(), client)))
    await store.create(kept, client)
    await store.purge(50, 50)
    expect(await store.find(kept.idHash)).toEqual(kept)
    await store.end(kept.idHash)
    expect(await redis.run('test', (client) => client.keys(`${prefix}:*`))).toEqual([])
  })

  it('keeps every key under its prefix, with an expiry', async () => {
    const { redis } = shared()
    const prefix = `test-${randomUUID()}`
    const store = createRedisSessionStore(redis, prefix)
    const created = session()
    const before = await redis.run('test', (client) => client.dbsize())
    await store.create(created, client)
    const keys = await redis.run('test', (client) => client.keys(`${prefix}:*`))
    expect(await redis.run('test', (client) => client.dbsize())).toBe(before + keys.length)
    const lives = await redis.run('test', (client) => client.ttl(`${prefix}:session:${created.idHash}`))
    expect(lives).toBeGreaterThan(31 * 24 * 60 * 60)
  })

  it('ends all sessions of a subject, also while others are created', async () => {
    const store = createRedisSessionStore(shared().redis, `test-${randomUUID()}`)
    const sessions = Array.from({ length: 50 }, () => ({ ...session(), subject: 'ada' }))
    const [first, second] = [sessions.slice(0, 25), sessions.slice(25)]
    await Promise.all(first.map((created) => store.create(created, client)))
    const ended = store.endAll('trader', 'ada')
    await Promise.all([ended, ...second.map((created) => store.create(created, client))])
    for (const { idHash } of first) expect(await store.find(idHash)).toBeUndefined()
    await store.endAll('trader', 'ada')
    for (const { idHash } of second) expect(await store.find(idHash)).toBeUndefined()
  })

  it('works without its sessions after the server lost its data', async () => {
    const { own, store } = await storeOn({ keepsData: false })
    const created = session()
    await store.create(created, client)
    await own.kill()
    await expect(store.find(created.idHash)).rejects.toThrow(Unavailable)
    await own.start()
    await expect.poll(() => store.find(created.idHash).catch(() => 'away'), { timeout: 60_000 }).toBeUndefined()
    await store.create(created, client)
    expect(await store.find(created.idHash)).toEqual(created)
  })

  it('keeps its sessions over a restart of a durable server', async () => {
    const { own, store } = await storeOn({ keepsData: true })
    const created = session()
    await store.create(created, client)
    await store.suspend('trader', created.subject, { reason: 'Chargeback' })
    await own.kill()
    await own.start()
    await expect
      .poll(() => store.find(created.idHash).catch(() => 'away'), { timeout: 60_000 })
      .toEqual({ ...created, suspension: { reason: 'Chargeback' } })
  })
})
