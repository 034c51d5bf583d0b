import { LRUCache } from 'lru-cache'
import { toPosition } from '../event-store/event-store.ts'
import type { Sqlite } from '../sqlite/sqlite.ts'
import type { Catalogue } from './sqlite-catalogue.ts'
import { type Known, openChanges } from './sqlite-changes.ts'
import type { Collection } from './sqlite-collection.ts'
import { checkWrites, parseDocument } from './documents.ts'
import type { DocumentWrite, StoredDocument } from './read-model-store.ts'

/** Reads documents by their ids, and writes them. */
export interface Documents {
  read(collection: string, ids: readonly string[]): Map<string, StoredDocument>
  /**
   * To be called in a transaction. Where nothing is refused, `alongside` is done as well.
   *
   * @param trusting Counts on what is remembered of the documents. @throws {OutOfDate} when that is not so any more: then
   * everything is to be rolled back, and done again without.
   */
  write(collection: string, writes: readonly DocumentWrite[], alongside: () => void, trusting: boolean): Written
}

export interface Written {
  /** The ids refused. */
  readonly refused: string[]
  /** To be called when the transaction is through. */
  remember(): void
}

/** Documents of a collection whose keys are remembered. */
const REMEMBERED = 5_000

/**
 * A write has to know which of a document's values change, to leave the indexes of the others alone. That is remembered
 * from the last read or write, and read where it is not. Others write too, so what is remembered may be out of date;
 * but every statement checks the position it counts on. Then all is rolled back, and done again on what the file says.
 */
export function openDocuments(database: Sqlite, catalogue: Catalogue): Documents {
  /** By the collections' stamps. */
  const memories = new LRUCache<string, LRUCache<string, Known>>({ max: 32 })
  const memoryOf = ({ stamp }: Collection): LRUCache<string, Known> => {
    const memory = memories.get(stamp) ?? new LRUCache<string, Known>({ max: REMEMBERED })
    memories.set(stamp, memory)
    return memory
  }

  const readStored = ({ table, keysOf }: Collection, ids: readonly string[]): (StoredDocument & Known)[] => {
    const stored = database.statement(`
      SELECT id, position, document FROM (SELECT value FROM json_each(?)) AS wanted CROSS JOIN ${table} ON id = wanted.value`)
    return stored.all(JSON.stringify(ids)).map((row) => {
      const text = row['document']
      const document = typeof text === 'string' ? parseDocument(text) : null
      return { id: String(row['id']), document, position: toPosition(String(row['position'])), keys: document && keysOf(document) }
    })
  }

  return {
    read(name, ids) {
      const collection = catalogue.get(name)
      const memory = memoryOf(collection)
      const documents = new Map<string, StoredDocument>()
      for (const { id, document, position, keys } of readStored(collection, ids)) {
        documents.set(id, { id, document, position })
        memory.set(id, { position, keys })
      }
      return documents
    },

    write(name, writes, alongside, trusting) {
      checkWrites(writes)
      const collection = catalogue.current(name)
      const memory = memoryOf(collection)
      const known = new Map<string, Known>()
      const unknown: string[] = []
      for (const { id, expected } of writes) {
        const remembered = trusting && expected !== null ? memory.get(id) : undefined
        if (remembered?.position === expected) known.set(id, remembered)
        else if (!trusting || expected !== null) unknown.push(id)
      }
      if (unknown.length > 0) for (const { id, position, keys } of readStored(collection, unknown)) known.set(id, { position, keys })

      const refused: string[] = []
      const changes = openChanges(database, collection)
      for (const write of writes) {
        const before = known.get(write.id)
        if ((before?.position ?? null) === write.expected) changes.add(write, before)
        else refused.push(write.id)
      }
      changes.make()
      if (refused.length === 0) alongside()
      return { refused, remember: () => changes.after.forEach((after, id) => memory.set(id, after)) }
    },
  }
}
