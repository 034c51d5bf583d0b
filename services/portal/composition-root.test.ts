import { randomUUID } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { toCheckpoint } from '#infra/event-store/event-store.ts'
import { openBullMqOutbox } from '#infra/outbox/bullmq-outbox.ts'
import { openRedis } from '#infra/redis/redis-connection.ts'
import { assembleDependencies, openDependencies, prepareDecisions, prepareDependencies } from './composition-root.ts'
import { BadConfiguration, readConfig } from '#services/process/config.ts'
import { startDouble } from '#test-support/eventstoredb-double/double.ts'
import { withStores } from '#test-support/stores.ts'
import { temporaryFolder } from '#test-support/program.ts'
import { startRedis, whyNoRedis } from '#test-support/servers/redis.ts'

it('a log whose keys are gone is not gone on with under new ones', async () => {
  const dataDir = temporaryFolder()
  const end = await withStores(dataDir, ({ eventStore }) => eventStore.end())
  expect(Number(end)).toBeGreaterThan(0)
  for (const file of readdirSync(dataDir).filter((name) => name.startsWith('keys.sqlite'))) rmSync(join(dataDir, file))

  for (let n = 0; n < 2; n++) {
    const opening = withStores(dataDir, async () => {})
    await expect(opening).rejects.toThrow(BadConfiguration)
    await expect(opening).rejects.toThrow("lacks the keys 'root', 'installation'")
  }
})

it('an event of another program in an otherwise empty log is named for what it is', async () => {
  const double = await startDouble()
  onTestFinished(() => double.close())
  const event = { id: randomUUID(), type: 'OrderPlaced', contentType: 'application/json' }
  double.log.append('account-4711', 'any', [{ ...event, data: Buffer.from('{}'), metadata: Buffer.alloc(0) }])
  const config = readConfig({ DATA_DIR: temporaryFolder(), EVENTSTORE_URL: double.url })
  const opening = openDependencies(config, pino({ level: 'silent' }))
  await expect(opening).rejects.toThrow(BadConfiguration)
  await expect(opening).rejects.toThrow(/\(OrderPlaced, account-4711#0\), which no portal recorded/)
})

it.skipIf(whyNoRedis)('starts while a worker that started at the same time fills the outbox', async () => {
  const server = await startRedis()
  onTestFinished(() => server.close())
  const config = readConfig({ DATA_DIR: temporaryFolder(), REDIS_URL: server.url })
  const parts = await assembleDependencies(config, pino({ level: 'silent' }))
  onTestFinished(parts.close)
  const redis = openRedis(server.url)
  onTestFinished(() => redis.close())
  const worker = openBullMqOutbox(redis)
  onTestFinished(() => worker.close())
  const outbox = {
    ...parts.outbox,
    async checkpoint() {
      const read = await parts.outbox.checkpoint()
      await worker.enqueue([], toCheckpoint('7'))
      return read
    },
  }
  await prepareDependencies(parts)
  await prepareDecisions({ ...parts, outbox })
  expect(await worker.checkpoint()).toBe('7')
})
