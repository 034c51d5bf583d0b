import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Unavailable } from '#infra/failures.ts'
import { freePort } from '#test-support/servers/ports.ts'
import { promptly } from '#test-support/promptly.ts'
import { whyNoRedis, type RedisServer, startRedis } from '#test-support/servers/redis.ts'
import { openRelay } from '#test-support/servers/relay.ts'
import { openRedis, type Redis, script } from './redis-connection.ts'

/** The longest wait for a response, in ms, on a busy machine. */
const DEADLINE_MS = 7_500

describe.skipIf(whyNoRedis)(`the connection to a real Redis${whyNoRedis ? ` (${whyNoRedis})` : ''}`, () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.close())

  const opened = (url: string): Redis => {
    const redis = openRedis(url)
    onTestFinished(() => redis.close())
    return redis
  }
  const relayed = async () => {
    const relay = await openRelay(() => server.port)
    onTestFinished(() => relay.close())
    return { relay, redis: opened(`redis://127.0.0.1:${relay.port}`) }
  }
  const ping = (redis: Redis) => redis.run('test', (client) => client.ping())
  const isBack = (redis: Redis) => expect.poll(() => ping(redis).catch(() => 'away'), { timeout: 60_000 }).toBe('PONG')
  const refusedInTime = (redis: Redis) => promptly(expect(ping(redis)).rejects.toThrow(Unavailable), DEADLINE_MS)

  it('opens during an outage, reports it in time, and reconnects', async () => {
    const redis = opened(`redis://127.0.0.1:${await freePort()}`)
    await refusedInTime(redis)
    const { relay, redis: other } = await relayed()
    relay.refuse()
    await refusedInTime(other)
    relay.accept()
    await isBack(other)
  })

  it('waits for the next connection after a cut instead of failing', async () => {
    const { relay, redis } = await relayed()
    for (let round = 0; round < 5; round++) {
      await isBack(redis)
      relay.cut()
    }
    await isBack(redis)
  })

  it('reports a hanging server in time, and recovers by itself', async () => {
    const { relay, redis } = await relayed()
    await ping(redis)
    relay.freeze()
    const calls = Array.from({ length: 500 }, () => redis.run('test', (client) => client.incr('counted')))
    const answers = await promptly(Promise.allSettled(calls), DEADLINE_MS)
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true)
    await refusedInTime(redis)
    relay.thaw()
    await isBack(redis)
  })

  it('works over a slow network', async () => {
    const { relay, redis } = await relayed()
    await ping(redis)
    relay.delay(200)
    expect(await ping(redis)).toBe('PONG')
  })

  it('reports an unknown outcome when a response was lost', async () => {
    const { relay, redis } = await relayed()
    await ping(redis)
    relay.loseAnswers()
    await expect(redis.run('test', (client) => client.set('lost', 'answer'))).rejects.toThrow(Unavailable)
    relay.cut()
    await isBack(redis)
    expect(await redis.run('test', (client) => client.get('lost'))).toBe('answer')
  })

  it('sends scripts again to a server that lost them', async () => {
    const redis = opened(server.url)
    const echo = script('return ARGV[1]')
    const ask = () => redis.run('test', (client) => echo.run(client, [], ['here']))
    expect(await ask()).toBe('here')
    await redis.run('test', (client) => client.script('FLUSH'))
    expect(await ask()).toBe('here')
  })

  it('never reveals the password', async () => {
    await withPassword(server, async (url) => {
      const redis = opened(url)
      const error: unknown = await ping(redis).catch((refusal: unknown) => refusal)
      expect(error).toBeInstanceOf(Unavailable)
      expect(inspect(error, { depth: 10 })).not.toContain('hunter2')
      expect(JSON.stringify(error)).not.toContain('hunter2')
    })
  })

  it('distinguishes a wrong command from an outage', async () => {
    const redis = opened(server.url)
    await redis.run('test', (client) => client.set('text', 'x'))
    const mistake: unknown = await redis
      .run('test', (client) => client.lpush('text', 'y'))
      .catch((error: unknown) => error)
    expect(mistake).toBeInstanceOf(Error)
    expect(mistake).not.toBeInstanceOf(Unavailable)
  })
})

/** Provides an address with a wrong password. */
async function withPassword(server: RedisServer, work: (url: string) => Promise<void>): Promise<void> {
  const owner = openRedis(server.url)
  await owner.run('test', (client) => client.config('SET', 'requirepass', 'the right one'))
  try {
    await work(`redis://:hunter2@127.0.0.1:${server.port}`)
  } finally {
    await owner.run('test', (client) => client.config('SET', 'requirepass', ''))
    await owner.close()
  }
}
