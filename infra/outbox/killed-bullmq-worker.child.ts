import { openRedis } from '#infra/redis/redis-connection.ts'
import { openBullMqOutbox } from './bullmq-outbox.ts'

/** A worker that bullmq-outbox.test.ts kills: it never finishes a job. */
const [url = '', prefix = '', lock = ''] = process.argv.slice(2)

await openBullMqOutbox(openRedis(url), { prefix, lock: Number(lock) }).work(
  async ({ id }) => {
    process.stdout.write(`sending ${id}\n`)
    await new Promise((resolve) => setTimeout(resolve, 600_000))
  },
  { signal: new AbortController().signal },
)
