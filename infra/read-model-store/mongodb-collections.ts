import { type Collection, type Document as Fields, MongoServerError } from 'mongodb'
import { type Connection, falseIfDuplicate } from '#infra/mongodb/mongodb-connection.ts'
import { checkDefinition, CREATED } from './document-rules.ts'
import type { CollectionDefinition } from './read-model-store.ts'
import { keyOf, type Stored } from './mongodb-stored-document.ts'

export interface CollectionInMongodb {
  /** The paths that queries may use: those with an index. */
  readonly definition: CollectionDefinition
  /** The paths of the texts that are stored to be searched in. */
  readonly search: readonly string[]
  readonly documents: Collection<Stored>
}

export type Collections = ReturnType<typeof createCollections>

interface Entry {
  readonly _id: string
  /** Paths that have an index. */
  readonly indexes: readonly string[]
  readonly search: readonly string[]
  /** The last number given to a document. */
  readonly made: number
}

/** How long a collection is assumed to exist, in ms: another process may drop it. */
const LOOK_VALID_FOR_MS = 1_000
/** MongoDB's code for it. */
const NO_SUCH_COLLECTION = 26
/** In front of the names of the collections that hold documents. */
const PREFIX = 'view_'

/** Creates, caches and drops collections. */
export function createCollections({ database, run }: Connection) {
  const entries = database.collection<Entry>('collections')
  const known = new Map<string, { readonly collection: CollectionInMongodb; readonly at: number }>()
  const documentsOf = (name: string): Collection<Stored> => database.collection<Stored>(`${PREFIX}${name}`)

  const remember = (entry: Entry): CollectionInMongodb => {
    const { _id: name, indexes: paths, search } = entry
    const collection = { definition: { name, filters: paths, sorts: paths }, search, documents: documentsOf(name) }
    known.set(name, { collection, at: performance.now() })
    return collection
  }

  const fromEntry = (name: string, entry: Entry | null): CollectionInMongodb => {
    if (entry) return remember(entry)
    known.delete(name)
    throw new Error(`There is no collection ${name}`)
  }

  const namesOfIndexes = async (documents: Collection<Stored>): Promise<string[]> => {
    const there = await run(() =>
      documents
        .listIndexes()
        .toArray()
        .catch((error: unknown) => {
          // A collection exists once something is in it.
          if (error instanceof MongoServerError && error.code === NO_SUCH_COLLECTION) return []
          throw error
        }),
    )
    return there.map(({ name }) => String(name))
  }

  const createIndexes = async (collection: CollectionInMongodb): Promise<void> => {
    const { documents } = collection
    const existing = await namesOfIndexes(documents)
    const missing = indexesOf(collection).filter(({ name }) => !existing.includes(name))
    // It may take long for many documents. The server continues if this process ends.
    if (missing.length > 0) await run(() => documents.createIndexes(missing), true)
  }

  /** @throws {Error} when it does not exist. */
  const get = async (name: string): Promise<CollectionInMongodb> => {
    const last = known.get(name)
    if (last && performance.now() - last.at < LOOK_VALID_FOR_MS) return last.collection
    return fromEntry(name, await run(() => entries.findOne({ _id: name })))
  }

  return {
    /** Creates it, without indexes, unless it exists. */
    async create(definition: CollectionDefinition): Promise<void> {
      checkDefinition(definition)
      const { name: _id, filters = [], sorts = [], search = [] } = definition
      const entry = (await run(() => entries.findOne({ _id }))) ?? { _id, indexes: [], search, made: 0 }
      await run(() => entries.insertOne(entry).catch(falseIfDuplicate))
      const indexes = [...new Set([...entry.indexes, ...filters, ...sorts])].sort()
      await run(() => entries.updateOne({ _id }, { $set: { indexes } }))
      remember({ ...entry, indexes })
    },

    async createIndexes(name: string): Promise<void> {
      await createIndexes(await get(name))
    },

    get,

    /** Reserves this many numbers for new documents; returns the first. @throws {Error} */
    async reserveNumbers(name: string, count: number): Promise<number> {
      const entry = await run(() =>
        entries.findOneAndUpdate({ _id: name }, { $inc: { made: count } }, { returnDocument: 'after' }),
      )
      fromEntry(name, entry)
      return (entry?.made ?? count) - count + 1
    },

    async drop(name: string): Promise<void> {
      known.delete(name)
      await run(() => entries.deleteOne({ _id: name }))
      await run(() => documentsOf(name).drop())
      // A write during the drop may have created another collection of that name.
      const expected = new Set((await run(() => entries.find().toArray())).map(({ _id }) => `${PREFIX}${_id}`))
      const existing = await run(() => database.listCollections({}, { nameOnly: true }).toArray())
      for (const { name: other } of existing)
        if (other.startsWith(PREFIX) && !expected.has(other)) await run(() => database.collection(other).drop())
    },
  }
}

/** MongoDB walks an index both ways, so one direction is enough; equal values are in the order of creation. */
export function indexesOf({
  definition,
  search,
}: Pick<CollectionInMongodb, 'definition' | 'search'>): { name: string; key: Fields }[] {
  const indexes = ['', ...(definition.filters ?? [])].map((path) => ({
    name: path === '' ? CREATED : `${path},${CREATED}`,
    key: Object.fromEntries([['gone', 1], ...(path === '' ? [] : [[keyOf(path), 1]]), ['made', 1]]),
  }))
  return search.length > 0 ? [...indexes, { name: 'search', key: { grams: 1, made: 1 } }] : indexes
}
