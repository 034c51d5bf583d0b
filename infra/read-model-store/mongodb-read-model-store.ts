import { comparePositions, toCheckpoint, toPosition } from '../event-store/event-store.ts'
import { connect, falseIfDuplicate } from '../mongodb/mongodb-connection.ts'
import { openCollections } from './mongodb-collections.ts'
import { openDocuments } from './mongodb-documents.ts'
import { openFinder } from './mongodb-find.ts'
import { openLeases } from './mongodb-leases.ts'
import { openWakes } from './mongodb-wakes.ts'
import type { PoisonEvent, Progress, ViewStore } from './read-model-store.ts'

/**
 * Views in MongoDB, or what speaks its protocol: a standalone server will do, as nothing needs a transaction. Documents are
 * written first, each where it still stands where it was read, then the reader's progress. Who is killed in between
 * folds again what is there already, and skips it.
 *
 * The subjects have a file each: which collections there are (mongodb-collections.ts), how a document is stored
 * (mongodb-stored.ts), reading and writing documents (mongodb-documents.ts), finding them (mongodb-find.ts), texts to
 * search in (mongodb-search.ts), leases (mongodb-leases.ts), waiting for progress (mongodb-wakes.ts).
 */
export function openMongoViewStore(url: string): ViewStore {
  const connection = connect(url, 'view store')
  const { database, run } = connection
  const reached = database.collection<StoredProgress>('readers')
  const settings = database.collection<{ _id: string; value: string }>('settings')
  const setAside = database.collection<PoisonEvent & { _id: string }>('poison')
  const collections = openCollections(connection)
  const documents = openDocuments(connection, collections)
  const finder = openFinder(connection, collections)
  const leases = openLeases(connection)

  const readAll = async (): Promise<Map<string, Progress>> => {
    const found = await run(() => reached.find().toArray())
    return new Map(found.map((stored) => [stored._id, toProgress(stored)]))
  }
  const wakes = openWakes(url, readAll)

  /** Never backwards: a worker that was paused, and has been replaced, may wake up and save where it was. */
  const save = async (reader: string, progress: Progress): Promise<void> => {
    const place = { checkpoint: progress.checkpoint, position: progress.position, order: progress.position.padStart(20, '0') }
    const forward = { _id: reader, order: { $lte: place.order } }
    const isSaved =
      (await run(() => reached.updateOne(forward, { $set: place }))).matchedCount > 0 ||
      (await run(() => reached.insertOne({ _id: reader, ...place }).then(() => true, falseIfDuplicate)))
    if (isSaved) wakes.saved(reader, progress)
  }

  return {
    open: (definition, options) => collections.open(definition, options?.loading ?? false),
    drop: (collection) => collections.drop(collection),
    read: (collection, ids) => documents.read(collection, ids),
    find: (collection, query) => finder.find(collection, query),
    count: (collection, query, atMost) => finder.count(collection, query, atMost),

    async write(collection, writes, progress) {
      const refused = await documents.write(collection, writes)
      if (progress && refused.length === 0) await save(progress.reader, progress)
      return refused
    },

    async progress(reader) {
      const stored = await run(() => reached.findOne({ _id: reader }))
      const progress = stored ? toProgress(stored) : undefined
      wakes.note(reader, progress)
      return progress
    },
    saveProgress: save,
    async readers() {
      const all = await readAll()
      for (const [reader, progress] of all) wakes.note(reader, progress)
      return all
    },
    async forgetReader(reader) {
      await run(() => reached.deleteOne({ _id: reader }))
    },
    progressed: (ms) => wakes.wait(ms),

    async setting(name) {
      return (await run(() => settings.findOne({ _id: name })))?.value
    },
    async settings() {
      return new Map((await run(() => settings.find().toArray())).map(({ _id, value }) => [_id, value]))
    },
    async saveSetting(name, value) {
      if (value === null) await run(() => settings.deleteOne({ _id: name }))
      else await run(() => settings.replaceOne({ _id: name }, { value }, { upsert: true }))
    },

    async setAside(event) {
      const { reader, stream, revision, position, type, error } = event
      await run(() => setAside.replaceOne({ _id: idOf(event) }, { reader, stream, revision, position, type, error }, { upsert: true }))
    },
    async poison(reader) {
      const found = await run(() => setAside.find(reader === undefined ? {} : { reader }, { projection: { _id: 0 } }).toArray())
      return found.sort((one, other) => comparePositions(one.position, other.position) || (one.reader < other.reader ? -1 : 1))
    },
    async forgetPoison(reader, event) {
      await run(() => setAside.deleteMany(event ? { _id: idOf({ reader, ...event }) } : { reader }))
    },

    lease: (name, holder, ms) => leases.take(name, holder, ms),
    release: (name, holder) => leases.release(name, holder),

    async ready() {
      await run(() => database.command({ ping: 1 }))
    },
    async close() {
      wakes.close()
      await connection.close()
    },
  }
}

interface StoredProgress extends Progress {
  readonly _id: string
  /** The position, of one length: texts are compared by their beginnings. */
  readonly order: string
}

function toProgress({ checkpoint, position }: StoredProgress): Progress {
  return { checkpoint: toCheckpoint(checkpoint), position: toPosition(position) }
}

function idOf({ reader, stream, revision }: Pick<PoisonEvent, 'reader' | 'stream' | 'revision'>): string {
  return JSON.stringify([reader, stream, revision])
}
