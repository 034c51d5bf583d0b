import { toPosition } from '#infra/event-store/event-store.ts'
import type { Sqlite } from '#infra/sqlite/sqlite.ts'
import { checkWrites, scalarAt } from './document-rules.ts'
import type { DocumentStore, DocumentWrite } from './read-model-store.ts'
import type { SqliteCheckpointStore } from './sqlite-checkpoint-store.ts'
import { type Collection, createCollections } from './sqlite-collection.ts'
import { createDocumentQueries } from './sqlite-document-queries.ts'
import type { Erasure } from './sqlite-erasure.ts'
import { searchText } from './sqlite-search.ts'

/**
 * Documents in SQLite: how they lie there is in sqlite-collection.ts, how they are found in sqlite-document-queries.ts.
 */
export function createSqliteDocumentStore(
  database: Sqlite,
  checkpoints: Pick<SqliteCheckpointStore, 'put' | 'wakeAll'>,
  erasure: Erasure,
): DocumentStore {
  const collections = createCollections(database)
  const queries = createDocumentQueries(database, collections)

  /** False where the document is not at the expected position. */
  const writeOne = (
    { search: searched, insert, update }: Collection,
    { id, document, position, expected }: DocumentWrite,
  ): boolean => {
    const text = document && JSON.stringify(document)
    const search = document && searched.length > 0 ? searchText(searched.map((path) => scalarAt(document, path))) : null
    const values = [position, text, search, id]
    return (
      (expected === null
        ? database.statement(insert).run(...values)
        : database.statement(update).run(...values, expected)) > 0
    )
  }

  return {
    create: async (definition) => collections.create(definition),
    async createIndexes({ name }) {
      // While all documents are written, the full-text index gets many segments: a search takes half as long again as
      // in one.
      if ((await collections.createIndexes(name)) && collections.get(name).texts) erasure.request(`texts:${name}`)
    },
    async drop(name) {
      await collections.drop(name)
      erasure.request()
    },
    find: async (name, query) => queries.find(name, query),
    count: async (name, query, atMost) => queries.count(name, query, atMost),

    async read(name, ids) {
      const { documents, parse } = collections.get(name)
      const [id, ...others] = ids
      if (id === undefined) return new Map()
      const select = `SELECT id, position, document FROM ${documents} WHERE id`
      // One document is the usual case, and half the work without a list.
      const one = others.length === 0 && database.statement(`${select} = ?`).get(id)
      const many = `${select} IN (SELECT value FROM json_each(?))`
      const rows = others.length > 0 ? database.statement(many).all(JSON.stringify(ids)) : one ? [one] : []
      return new Map(
        rows.map((row) => {
          const [id, text] = [String(row['id']), row['document']]
          return [
            id,
            {
              id,
              document: typeof text === 'string' ? parse(id, text) : null,
              position: toPosition(String(row['position'])),
            },
          ]
        }),
      )
    },

    async write(name, writes, checkpoint) {
      checkWrites(writes)
      const collection = collections.get(name)
      const refused = await database.transactionTogether(() => {
        const ids = writes.flatMap((write) => (writeOne(collection, write) ? [] : [write.id]))
        if (checkpoint && ids.length === 0) checkpoints.put(checkpoint)
        return ids
      })
      if (writes.some(({ document }) => document === null)) erasure.request(collection.texts && `texts:${name}`)
      if (checkpoint && refused.length === 0) checkpoints.wakeAll()
      return refused
    },
  }
}
