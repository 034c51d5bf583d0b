import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { openEventStoreDb } from '#infra/event-store/eventstoredb-event-store.ts'
import { parseS3Location } from '#infra/file-store/s3-address.ts'
import { createS3FileStore } from '#infra/file-store/s3-file-store.ts'
import { openMongoKeyStore } from '#infra/key-store/mongodb-key-store.ts'
import { parseSmtpServer } from '#infra/mail-transport/smtp-address.ts'
import { createSmtpTransport } from '#infra/mail-transport/smtp-mail-transport.ts'
import { openRedis } from '#infra/redis/redis-connection.ts'
import { createRedisSessionStore } from '#infra/session-store/redis-session-store.ts'

// Started by encrypted.test.ts with the certificates that it trusts. Opens every server and prints the outcome.
const urls = z
  .record(z.enum(['eventStore', 'mongodb', 'redis', 's3', 'smtp']), z.string())
  .parse(JSON.parse(process.argv[2] ?? ''))

const redis = openRedis(urls.redis)
const opened = {
  eventStore: openEventStoreDb(urls.eventStore, { prefixes: ['account-'] }),
  mongodb: openMongoKeyStore(urls.mongodb),
  redis: createRedisSessionStore(redis),
  s3: createS3FileStore(parseS3Location(urls.s3)),
  smtp: createSmtpTransport(parseSmtpServer(urls.smtp), { name: 'Proofdesk', address: 'portal@firm.example' }),
}
/** On a busy machine a first try may take too long. */
const TIMEOUT_MS = 30_000

async function outcomeOf(part: { ready(): Promise<void> }): Promise<string> {
  for (const began = Date.now(); ;) {
    const outcome = await part.ready().then(
      () => 'ready',
      (error: unknown) => chainOf(error),
    )
    if (outcome === 'ready' || /self-signed/.test(outcome) || Date.now() - began > TIMEOUT_MS) return outcome
    await delay(100)
  }
}

const chainOf = (error: unknown): string =>
  error instanceof Error ? `${String(error)}: ${chainOf(error.cause)}` : String(error ?? '')

const outcomes = await Promise.all(
  Object.entries(opened).map(async ([name, part]) => [name, await outcomeOf(part)] as const),
)
process.stdout.write(JSON.stringify(Object.fromEntries(outcomes)), () => process.exit())
