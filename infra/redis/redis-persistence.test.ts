import { expect, it, onTestFinished } from 'vitest'
import { openRedis } from '#infra/redis/redis-connection.ts'
import { composeUsers, type RedisServerOptions, startRedis, whyNoRedis } from '#test-support/servers/redis.ts'
import { readPersistence } from './redis-persistence.ts'

const started = async (options: RedisServerOptions) => {
  const server = await startRedis(options)
  onTestFinished(() => server.close())
  const redis = openRedis(server.url)
  onTestFinished(() => redis.close())
  return redis
}

const users = (replaced: (rules: string) => string) => composeUsers.map(replaced)
const withoutRights = users((rules) => rules.replace('default off resetpass ~* &* +@all', 'default off'))

it.skipIf(whyNoRedis).each<[string, string, RedisServerOptions]>([
  ['keeps', 'with the users of the compose file', { keepsData: true, users: composeUsers }],
  ['keeps', 'without users', { keepsData: true }],
  ['keeps', 'without persistence, which loses all at once', { users: withoutRights }],
  ['drops-at-restart', 'whose user `default` has no rights', { keepsData: true, users: withoutRights }],
  [
    'unknown',
    'whose portal may not ask',
    { keepsData: true, users: users((rules) => rules.replace(' +acl|dryrun', '')) },
  ],
])('says "%s" of a Redis %s', async (expected, _, options) => {
  expect(await readPersistence(await started(options))).toBe(expected)
})

it.skipIf(whyNoRedis)('says "evicts" of a Redis that removes keys when its memory is full', async () => {
  const redis = await started({ keepsData: true })
  await redis.run('test', (client) => client.config('SET', 'maxmemory-policy', 'allkeys-lru'))
  expect(await readPersistence(redis)).toBe('evicts')
})
