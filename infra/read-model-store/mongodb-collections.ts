import { type Collection, type Document as Fields, MongoServerError } from 'mongodb'
import { type Connection, falseIfDuplicate } from '../mongodb/mongodb-connection.ts'
import { checkDefinition, CREATED, parseDocument } from './documents.ts'
import { contentOf, keyOf, type Stored } from './mongodb-stored.ts'
import type { CollectionDefinition } from './read-model-store.ts'

/** A collection of documents as it is kept. */
export interface Kept {
  readonly name: string
  readonly documents: Collection<Stored>
  readonly search: readonly string[]
  isIndexed(path: string): boolean
}

/** Which collections there are, and how they come and go. */
export interface Collections {
  open(definition: CollectionDefinition, loading: boolean): Promise<void>
  /** @throws {Error} when there is none of that name. */
  get(name: string): Promise<Kept>
  /** The first of so many numbers for documents to be made, which nobody else gets. @throws {Error} */
  number(name: string, count: number): Promise<number>
  drop(name: string): Promise<void>
}

interface Entry {
  readonly _id: string
  /** Ordered lists of paths, each with a comma between them: not every server takes a list of lists. */
  readonly indexes: readonly string[]
  readonly search: readonly string[]
  /** The last number of a document made. */
  readonly made: number
}

/** How long a collection is taken to be as it was, in ms: another process may drop it, or define it anew. */
const BELIEVED_FOR = 1_000
/** Documents whose texts are made anew at a time. */
const SOME = 500
/** MongoDB's code for it. */
const NO_SUCH_COLLECTION = 26
/** In front of the names of the collections that hold documents. */
const PREFIX = 'view_'

export function openCollections({ database, run, batchesOf }: Connection): Collections {
  const entries = database.collection<Entry>('collections')
  const seen = new Map<string, { readonly kept: Kept; readonly at: number }>()
  const documentsOf = (name: string): Collection<Stored> => database.collection<Stored>(`${PREFIX}${name}`)

  const see = ({ _id: name, indexes, search }: Entry): Kept => {
    const paths = new Set([CREATED, ...indexes.flatMap((paths) => paths.split(','))])
    const kept = { name, documents: documentsOf(name), search, isIndexed: (path: string) => paths.has(path) }
    seen.set(name, { kept, at: performance.now() })
    return kept
  }

  const found = (name: string, entry: Entry | null): Kept => {
    if (entry) return see(entry)
    seen.delete(name)
    throw new Error(`There is no collection ${name}`)
  }

  /** Makes anew what is kept of all documents to search in; what others write meanwhile they write with the new texts. */
  const searchAnew = async (kept: Kept): Promise<void> => {
    for (let last = 0; ;) {
      const some = await run(() =>
        kept.documents
          .find({ gone: false, made: { $gt: last } })
          .sort({ made: 1 })
          .limit(SOME)
          .toArray(),
      )
      if (some.length === 0) return
      const updates = some.map(({ _id, position, document }) => {
        const { search, grams } = contentOf(parseDocument(document ?? ''), kept.search)
        return { updateOne: { filter: { _id, position }, update: { $set: { search, grams } } } }
      })
      for (const piece of await batchesOf(updates)) await run(() => kept.documents.bulkWrite(piece, { ordered: false }))
      last = some.at(-1)?.made ?? last
    }
  }

  const namesOfIndexes = async (documents: Collection<Stored>): Promise<string[]> => {
    const there = await run(() =>
      documents
        .listIndexes()
        .toArray()
        .catch((error: unknown) => {
          // A collection is there once something is in it.
          if (error instanceof MongoServerError && error.code === NO_SUCH_COLLECTION) return []
          throw error
        }),
    )
    return there.map(({ name }) => String(name))
  }

  const makeIndexes = async ({ documents, search }: Kept, wanted: readonly string[]): Promise<void> => {
    const indexes = indexesOf(wanted, search)
    const names = indexes.map(({ name }) => name)
    const there = await namesOfIndexes(documents)
    const missing = indexes.filter(({ name }) => !there.includes(name))
    // It may take long where there are many documents; when we are gone, the server goes on with it.
    if (missing.length > 0) await run(() => documents.createIndexes(missing), true)
    for (const name of there) if (name !== '_id_' && !names.includes(name)) await run(() => documents.dropIndex(name))
  }

  return {
    async open(definition, loading) {
      checkDefinition(definition)
      const { name: _id, search = [] } = definition
      const indexes = definition.indexes.map((index) => Object.keys(index).join(','))
      const before = await run(() => entries.findOne({ _id }))
      if (!before) await run(() => entries.insertOne({ _id, indexes, search, made: 0 }).catch(falseIfDuplicate))
      else if (!isSame([before.indexes, before.search], [indexes, search])) await run(() => entries.updateOne({ _id }, { $set: { indexes, search } }))
      const kept = see({ _id, indexes, search, made: 0 })
      if (before && !isSame(before.search, search)) await searchAnew(kept)
      if (!loading) await makeIndexes(kept, indexes)
    },

    async get(name) {
      const known = seen.get(name)
      if (known && performance.now() - known.at < BELIEVED_FOR) return known.kept
      return found(name, await run(() => entries.findOne({ _id: name })))
    },

    async number(name, count) {
      const entry = await run(() => entries.findOneAndUpdate({ _id: name }, { $inc: { made: count } }, { returnDocument: 'after' }))
      found(name, entry)
      return (entry?.made ?? count) - count + 1
    },

    async drop(name) {
      seen.delete(name)
      await run(() => entries.deleteOne({ _id: name }))
      await run(() => documentsOf(name).drop())
      // A write that was under way when its collection was dropped may have made another of that name.
      const known = new Set((await run(() => entries.find().toArray())).map(({ _id }) => `${PREFIX}${_id}`))
      const there = await run(() => database.listCollections({}, { nameOnly: true }).toArray())
      for (const { name: other } of there) if (other.startsWith(PREFIX) && !known.has(other)) await run(() => database.collection(other).drop())
    },
  }
}

/** MongoDB walks an index both ways, so one direction does; what is equal comes in the order in which it was made. */
function indexesOf(wanted: readonly string[], search: readonly string[]): { name: string; key: Fields }[] {
  const lists = ['', ...wanted]
    .map((index) => index.split(',').filter(Boolean))
    .map((paths) => (paths.includes(CREATED) ? paths.slice(0, paths.indexOf(CREATED)) : paths))
  const distinct = new Map(lists.map((paths) => [[...paths, CREATED].join(','), paths]))
  const indexes = [...distinct].map(([name, paths]) => ({
    name,
    key: Object.fromEntries([['gone', 1], ...paths.map((path) => [keyOf(path), 1]), ['made', 1]]),
  }))
  return search.length > 0 ? [...indexes, { name: 'search', key: { grams: 1, made: 1 } }] : indexes
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
