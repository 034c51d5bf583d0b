import { afterAll, beforeAll, describe } from 'vitest'
import { whyNoRedis, type RedisServer, startRedis } from './redis.ts'
import { openRedis, type Redis } from '../../infra/redis/redis-connection.ts'

/** A real Redis that the tests of a file share, and a connection to it. */
export interface SharedRedis {
  readonly server: RedisServer
  readonly redis: Redis
}

/** Tests with a real Redis, which is there once they run, and ends after them. Where there can be none they are skipped, and say why. */
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
      if (!shared) throw new Error('There is no Redis before the tests begin')
      return shared
    })
  })
}
