import type { z } from 'zod'
import { startEventStore } from '../test-support/servers/event-store.ts'
import { startFerretDb } from '../test-support/servers/ferretdb.ts'
import { startRedis } from '../test-support/servers/redis.ts'
import { inputOf, say, told } from './children.ts'
import { serversInput, type serversOutcome } from './servers.ts'

/** Keeps servers until it is told to go on. */

const wanted = inputOf(serversInput)
const urls: z.infer<typeof serversOutcome> = { eventstore: '', mongodb: '', redis: '' }
const started: { close(): Promise<void> }[] = []

if (wanted.includes('eventstore')) {
  const server = await startEventStore()
  started.push(server)
  urls.eventstore = `esdb://127.0.0.1:${server.port}?tls=false`
}
if (wanted.includes('mongodb')) {
  const server = await startFerretDb()
  started.push(server)
  urls.mongodb = `mongodb://127.0.0.1:${server.port}`
}
if (wanted.includes('redis')) {
  const server = await startRedis()
  started.push(server)
  urls.redis = server.url
}
say(urls)
await told()
for (const server of started) await server.close()
process.disconnect()
