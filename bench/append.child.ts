import { randomUUID } from 'node:crypto'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import { openEventStoreDb } from '../infra/event-store/eventstoredb-event-store.ts'
import { appendInput, IN_FLIGHT } from './append-run.ts'
import { inputOf, say } from './children.ts'
import { inTurn } from './statistics.ts'

/** Appends one event to a stream that stands at a revision. */
type Append = (stream: string, revision: number) => Promise<unknown>

const { url, appends, rounds } = inputOf(appendInput)
const data = { payoutId: 'A7', amount: '250.00', method: 'crypto', details: { key: 'p', text: 'x'.repeat(60) } }
const metadata = { actor: { kind: 'trader', id: '4711' }, at: 1_700_000_000_000, requestId: 'r', version: 1 }
// Each gets what it takes, made beforehand.
const texts = { data: JSON.stringify(data), metadata: JSON.stringify(metadata) }

const client = EventStoreDBClient.connectionString(url)
const store = openEventStoreDb(url, { prefixes: ['account-'] })

const sides: Record<'client' | 'adapter', Append> = {
  client: (stream, revision) =>
    client.appendToStream(stream, jsonEvent({ id: randomUUID(), type: 'PayoutRequested', data, metadata }), {
      expectedRevision: revision === 0 ? 'no_stream' : BigInt(revision - 1),
    }),
  adapter: (stream, revision) => store.append(stream, revision === 0 ? 'none' : revision - 1, [{ id: randomUUID(), type: 'PayoutRequested', ...texts }]),
}

/** Ms for all of them, by so many writers side by side, each with a stream of its own. */
async function time(append: Append, writers: number): Promise<number> {
  const run = randomUUID()
  const began = performance.now()
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let n = 0; n < appends / writers; n++) await append(`account-${run}-${writer}`, n)
    }),
  )
  return performance.now() - began
}

const took: Record<string, readonly number[]> = {}
for (const writers of IN_FLIGHT) {
  // The first round warms up.
  const values = await inTurn(rounds + 1, ['client', 'adapter'], (side) => time(sides[side], writers))
  for (const [side, ms] of values) took[`${side} ${writers}`] = ms.slice(1)
}
say({ took })
await store.close()
await client.dispose()
