import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { Unavailable } from '#infra/failures.ts'
import { openRedis } from '#infra/redis/redis-connection.ts'
import { describeRedis } from '#test-support/servers/redis.ts'
import { rateLimitConformance } from './rate-limit.conformance.ts'
import { redisRateLimit } from './redis-rate-limit.ts'

describeRedis('rate limits in a real Redis', (shared) => {
  rateLimitConformance('rate limit in Redis', () => redisRateLimit(shared().redis))

  it('counts for all processes together', async () => {
    const { server, redis } = shared()
    const rule = { name: randomUUID(), attempts: 2, seconds: 600 }
    const other = openRedis(server.url)
    const [first, second] = [redisRateLimit(redis)(rule), redisRateLimit(other)(rule)]
    expect([await first.take('ada'), await second.take('ada')]).toEqual([0, 0])
    expect(await first.take('ada')).toBeGreaterThan(0)
    expect(await second.take('ada')).toBeGreaterThan(0)
    await other.close()
  })

  it('keeps its keys under the prefix, with an expiry', async () => {
    const { redis } = shared()
    const rule = { name: randomUUID(), attempts: 2, seconds: 600 }
    await redisRateLimit(redis)(rule).take('ada')
    const keys = await redis.run('test', (client) => client.keys(`proofdesk:rate:${rule.name}*`))
    expect(keys).toHaveLength(1)
    const lives = await redis.run('test', (client) => client.ttl(keys[0] ?? ''))
    expect(lives).toBeGreaterThan(0)
    expect(lives).toBeLessThanOrEqual(600)
  })

  it('grants nothing during an outage, and continues counting afterwards', async () => {
    const { server, redis } = shared()
    const limit = redisRateLimit(redis)({ name: randomUUID(), attempts: 1, seconds: 600 })
    expect(await limit.take('ada')).toBe(0)
    await server.pause()
    await expect(limit.take('ada')).rejects.toThrow(Unavailable)
    await expect(limit.refund('ada')).rejects.toThrow(Unavailable)
    await expect(limit.clear('ada')).rejects.toThrow(Unavailable)
    await server.resume()
    await expect.poll(() => limit.take('ada').catch(() => 0), { timeout: 60_000 }).toBeGreaterThan(0)
  })
})
