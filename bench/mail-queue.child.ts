import { randomUUID } from 'node:crypto'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { toCheckpoint } from '../infra/event-store/event-store.ts'
import { bullJob, openBullMqOutbox } from '../infra/outbox/bullmq-outbox.ts'
import type { MailJob } from '../infra/outbox/outbox.ts'
import { openRedis } from '../infra/redis/redis-connection.ts'
import { inputOf, say } from './children.ts'
import { BATCHES, mailQueueInput } from './mail-queue-run.ts'
import { inTurn } from './statistics.ts'

/** Queues mails through our adapter, and the same jobs by calling BullMQ's addBulk in a bare loop. */

const { url, mails, rounds } = inputOf(mailQueueInput)

const redis = openRedis(url)
const adapter = openBullMqOutbox(redis)
const client = new Redis(url, { maxRetriesPerRequest: null })
const bare = new Queue('mail', { connection: client, prefix: 'bare' })
await bare.waitUntilReady()

let batches = 0
const sides: Record<'adapter' | 'addBulk', (jobs: readonly MailJob[]) => Promise<unknown>> = {
  adapter: (jobs) => adapter.enqueue(jobs, toCheckpoint(`batch ${(batches += 1)}`)),
  addBulk: (jobs) => bare.addBulk(jobs.map(bullJob)),
}

/** Ms for all of them, one batch after the other, as the worker reads the log. */
async function time(queue: (jobs: readonly MailJob[]) => Promise<unknown>, size: number): Promise<number> {
  const all = Array.from({ length: mails / size }, () => Array.from({ length: size }, jobOf))
  const began = performance.now()
  for (const jobs of all) await queue(jobs)
  return performance.now() - began
}

function jobOf(): MailJob {
  return { id: randomUUID(), kind: 'PayoutApproved', stream: `account-${randomUUID()}`, revision: 12 }
}

const took: Record<string, readonly number[]> = {}
for (const size of BATCHES) {
  // The first round warms up.
  const values = await inTurn(rounds + 1, ['adapter', 'addBulk'], (side) => time(sides[side], size))
  for (const [side, ms] of values) took[`${side} ${size}`] = ms.slice(1)
}
say({ took })
await adapter.close()
await bare.close()
await redis.close()
client.disconnect()
process.disconnect()
