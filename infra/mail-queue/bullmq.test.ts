import { afterAll, beforeAll, describe } from 'vitest'
import { openRedis, type Redis } from '../redis/connection.ts'
import { noRedis, type RedisServer, startRedis } from '../testing/redis.ts'
import { openBullMqMailQueue } from './bullmq.ts'
import { mailQueueContract } from './contract.ts'

describe.skipIf(noRedis)(`mails in a real Redis${noRedis ? ` (${noRedis})` : ''}`, () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await startRedis()
    redis = openRedis(server.url)
  })
  afterAll(async () => {
    await redis.close()
    await server.close()
  })

  mailQueueContract('mail queue in Redis, by BullMQ', async (place) => openBullMqMailQueue(redis, { prefix: place }))
})
