import { AccessDeniedError } from '@eventstore/db-client'
import { Metadata, status } from '@grpc/grpc-js'
import { MongoServerError } from 'mongodb'
import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { Unavailable } from '#infra/failures.ts'
import { composeUsers, startRedis, whyNoRedis } from '#test-support/servers/redis.ts'
import { temporaryFolder } from '#test-support/program.ts'
import { BadConfiguration, readConfig } from './config.ts'
import { start } from '#services/cli/server.ts'
import { credentialRefusal } from './credential-refusals.ts'

const denied = (code: status) =>
  new AccessDeniedError(Object.assign(new Error('denied'), { code, details: '', metadata: new Metadata() }))

it.each<[string, string, Error]>([
  ['EventStoreDB refuses the user of EVENTSTORE_URL', 'event store', denied(status.UNAUTHENTICATED)],
  ['EventStoreDB refuses the user of EVENTSTORE_URL', 'event store', denied(status.PERMISSION_DENIED)],
  [
    'MongoDB refuses the user of MONGODB_URL',
    'key store',
    new MongoServerError({ message: 'Authentication failed.', code: 18 }),
  ],
  [
    'MongoDB refuses the user of MONGODB_URL',
    'view store',
    new MongoServerError({ message: 'not authorized on proofdesk', code: 13 }),
  ],
  [
    'Redis refuses the user of REDIS_URL',
    'session store',
    new Error('WRONGPASS invalid username-password pair or user is disabled.'),
  ],
  ['Redis refuses the user of REDIS_URL', 'mail queue', new Error('NOAUTH Authentication required.')],
])('says "%s", of the %s', (line, part, cause) =>
  expect(credentialRefusal(new Unavailable(part, { cause }))).toBe(line),
)

it.each<[string, unknown]>([
  ['event store', Object.assign(new Error('No connection established'), { code: status.UNAVAILABLE })],
  ['key store', new MongoServerError({ message: 'not primary', code: 10_107 })],
  ['session store', new Error('connect ECONNREFUSED 127.0.0.1:6379')],
  ['session store', undefined],
  ['file store', denied(status.UNAUTHENTICATED)],
])('says nothing of a %s that is merely away', (part, cause) =>
  expect(credentialRefusal(new Unavailable(part, { cause }))).toBeUndefined(),
)

it.skipIf(whyNoRedis !== undefined).each(['redis://:a-wrong-password@', 'redis://'])(
  'stops a start with one line when Redis refuses %s',
  async (credentials) => {
    const redis = await startRedis()
    onTestFinished(() => redis.close())
    const client = new Redis(redis.url)
    await client.config('SET', 'requirepass', 'the right password')
    client.disconnect()
    const variables = { DATA_DIR: temporaryFolder(), PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent' }
    const started = start(readConfig({ ...variables, REDIS_URL: redis.url.replace('redis://', credentials) }))
    await expect(started).rejects.toThrow(new BadConfiguration('Redis refuses the user of REDIS_URL'))
  },
)

it.skipIf(whyNoRedis !== undefined)(
  'stops a start with one line when Redis would lose mails at a restart',
  async () => {
    const users = composeUsers.map((rules) => (rules.startsWith('default ') ? 'default off' : rules))
    const redis = await startRedis({ keepsData: true, users })
    onTestFinished(() => redis.close())
    const variables = { DATA_DIR: temporaryFolder(), PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent' }
    await expect(start(readConfig({ ...variables, REDIS_URL: redis.url }))).rejects.toThrow(
      /^REDIS_URL: this Redis drops sessions and queued mails when it restarts/,
    )
  },
)
