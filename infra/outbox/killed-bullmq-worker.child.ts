import { openRedis } from '../redis/redis-connection.ts'
import { openBullMqOutbox } from './bullmq-outbox.ts'

/** A worker to be killed by bullmq.test.ts: it never ends sending what it begins. */
const [url = '', prefix = '', lock = ''] = process.argv.slice(2)

await openBullMqOutbox(openRedis(url), { prefix, lock: Number(lock) }).work(
  async ({ id }) => {
    process.stdout.write(`sending ${id}\n`)
    await new Promise((resolve) => setTimeout(resolve, 600_000))
  },
  { signal: new AbortController().signal },
)
