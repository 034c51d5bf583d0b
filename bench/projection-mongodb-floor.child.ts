import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { type AnyBulkWriteOperation, type Document, MongoClient } from 'mongodb'
import type { z } from 'zod'
import { openMongoViewStore } from '../infra/read-model-store/mongodb.ts'
import { allProjections } from '../services/projections/index.ts'
import { inputOf, say } from './children.ts'
import { clock } from './profile.ts'
import { mongodbFloor, type mongodbOutcome, type RecordedMongodbWrite, recordedMongodbWrite, type Stage } from './projection-mongodb-run.ts'

/**
 * Writes what a projection wrote into MongoDB, and does nothing else: the same documents in the same batches, one bulkWrite
 * a view and all views at a time, into collections with the same indexes.
 */

const { url, recording, guarded } = inputOf(mongodbFloor)

interface Stored extends Document {
  readonly _id: string
}

/** What is written at a time, for each collection. */
type Batch = readonly { readonly collection: string; readonly operations: AnyBulkWriteOperation<Stored>[] }[]

const collections = new Set<string>()
const batches = await batchesOf(recording)
const client = await new MongoClient(url).connect()
const database = client.db()
const viewStore = openMongoViewStore(url)

await openAll(true)
const fill = await write('fill')
await openAll(false)
const live = await write('live')
await viewStore.close()
await client.close()
say({ fill, live } satisfies z.infer<typeof mongodbOutcome>)
process.disconnect()

async function write(stage: Stage): Promise<{ ms: number; timed: { from: number; to: number } }> {
  const from = clock()
  for (const batch of batches[stage]) {
    await Promise.all(batch.map(({ collection, operations }) => database.collection<Stored>(`view_${collection}`).bulkWrite(operations, { ordered: false })))
  }
  const to = clock()
  return { ms: (to - from) / 1_000, timed: { from, to } }
}

/** Makes the collections, and then their indexes, as the view store makes them. */
async function openAll(loading: boolean): Promise<void> {
  for (const collection of collections) {
    const view = allProjections.find(({ name }) => collection.startsWith(`${name.replaceAll('-', '_')}_v`))
    if (view) await viewStore.open(view.collection(collection), { loading })
  }
}

/** The batches in which views were written: views that were written with the same end of a batch are one. */
async function batchesOf(file: string): Promise<Record<Stage, readonly Batch[]>> {
  const found = { fill: new Map<string, Batch>(), live: new Map<string, Batch>() }
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const written = recordedMongodbWrite.parse(JSON.parse(line))
    const { stage, position, collection } = written
    collections.add(collection)
    found[stage].set(position, [...(found[stage].get(position) ?? []), { collection, operations: operationsOf(written) }])
  }
  return { fill: [...found.fill.values()], live: [...found.live.values()] }
}

function operationsOf({ made, changed }: RecordedMongodbWrite): AnyBulkWriteOperation<Stored>[] {
  return [
    ...made.map((document) => ({ insertOne: { document } })),
    ...changed.map(({ _id, expected, content }) => {
      return { updateOne: { filter: guarded ? { _id, position: expected } : { _id }, update: { $set: content } } }
    }),
  ]
}
