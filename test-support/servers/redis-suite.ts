import { afterAll, beforeAll, describe } from 'vitest'
import { whyNoRedis, type RedisServer, startRedis } from './redis.ts'
import { openRedis, type Redis } from '../../infra/redis/redis-connection.ts'

/** The shared Redis and a connection to it. */
export interface SharedRedis {
  readonly server: RedisServer
  readonly redis: Redis
}

/** Tests that share a real Redis. Without one they are skipped and name the reason. */
export function describeRedis(name: string, tests: (shared: () => SharedRedis) => void): void {
  describe.skipIf(whyNoRedis)(`${name}${whyNoRedis ? ` (${whyNoRedis})` : ''}`, () => {
    let shared: SharedRedis | undefined
    beforeAll(async () => {
      const server = await startRedis()
      shared = { server, redis: openRedis(server.url) }
    })
    afterAll(async () => {
      await shared?.redis.close()
      await shared?.server.close()
    })
    tests(() => {
      if (!shared) throw new Error('The server runs in tests only')
      return shared
    })
  })
}
