import { randomUUID } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { Unavailable } from '../failures.ts'
import { openRedis } from '../redis/redis-connection.ts'
import { describeRedis } from '../../test-support/servers/redis-suite.ts'
import { type RedisServerOptions, startRedis } from '../../test-support/servers/redis.ts'
import { sessionStoreConformance } from './session-store.conformance.ts'
import { createRedisSessionStore } from './redis-session-store.ts'

describeRedis('sessions in a real Redis', (shared) => {
  sessionStoreConformance('session store in Redis', async () => {
    const { redis } = shared()
    const prefix = `test-${randomUUID()}`
    return {
      store: createRedisSessionStore(redis, prefix),
      reopen: async () => createRedisSessionStore(redis, prefix),
    }
  })

  const session = () => ({ idHash: randomUUID(), kind: 'trader', subject: randomUUID(), createdAt: 1, lastSeenAt: 1, suspension: null }) as const
  /** A store on a server of its own. */
  const storeOn = async (options: RedisServerOptions) => {
    const own = await startRedis(options)
    onTestFinished(() => own.close())
    const connection = openRedis(own.url)
    onTestFinished(() => connection.close())
    return { own, store: createRedisSessionStore(connection) }
  }

  it('purges however many there are, and leaves no key of theirs behind', async () => {
    const { redis } = shared()
    const prefix = `test-${randomUUID()}`
    const store = createRedisSessionStore(redis, prefix)
    const kept = { ...session(), createdAt: 100, lastSeenAt: 100 }
    await Promise.all(Array.from({ length: 1_200 }, () => store.create(session())))
    await store.create(kept)
    await store.purge(50, 50)
    expect(await store.find(kept.idHash)).toEqual(kept)
    await store.end(kept.idHash)
    expect(await redis.run('test', (client) => client.keys(`${prefix}:*`))).toEqual([])
  })

  it('keeps every key under its prefix, and each session for a time only', async () => {
    const { redis } = shared()
    const prefix = `test-${randomUUID()}`
    const store = createRedisSessionStore(redis, prefix)
    const made = session()
    const before = await redis.run('test', (client) => client.dbsize())
    await store.create(made)
    const keys = await redis.run('test', (client) => client.keys(`${prefix}:*`))
    expect(await redis.run('test', (client) => client.dbsize())).toBe(before + keys.length)
    const lives = await redis.run('test', (client) => client.ttl(`${prefix}:session:${made.idHash}`))
    expect(lives).toBeGreaterThan(31 * 24 * 60 * 60)
  })

  it('ends all sessions of a subject at once, also those made at the same time', async () => {
    const store = createRedisSessionStore(shared().redis, `test-${randomUUID()}`)
    const sessions = Array.from({ length: 50 }, () => ({ ...session(), subject: 'ada' }))
    const [first, second] = [sessions.slice(0, 25), sessions.slice(25)]
    await Promise.all(first.map((made) => store.create(made)))
    const ended = store.endAll('trader', 'ada')
    await Promise.all([ended, ...second.map((made) => store.create(made))])
    for (const { idHash } of first) expect(await store.find(idHash)).toBeUndefined()
    await store.endAll('trader', 'ada')
    for (const { idHash } of second) expect(await store.find(idHash)).toBeUndefined()
  })

  it('knows nobody after the server lost its data, and goes on', async () => {
    const { own, store } = await storeOn({ keepsData: false })
    const made = session()
    await store.create(made)
    await own.kill()
    await expect(store.find(made.idHash)).rejects.toThrow(Unavailable)
    await own.start()
    await expect.poll(() => store.find(made.idHash).catch(() => 'away'), { timeout: 20_000 }).toBeUndefined()
    await store.create(made)
    expect(await store.find(made.idHash)).toEqual(made)
  })

  it('knows everybody after a restart of a server that keeps its data', async () => {
    const { own, store } = await storeOn({ keepsData: true })
    const made = session()
    await store.create(made)
    await store.suspend('trader', made.subject, { reason: 'Chargeback' })
    await own.kill()
    await own.start()
    await expect.poll(() => store.find(made.idHash).catch(() => 'away'), { timeout: 20_000 }).toEqual({ ...made, suspension: { reason: 'Chargeback' } })
  })
})
