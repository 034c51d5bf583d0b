import { toPosition } from '#infra/event-store/event-store.ts'
import type { Row, Sqlite } from '#infra/sqlite/sqlite.ts'
import { checkWrites, scalarAt, scannedDocument, scannedPosition } from './document-rules.ts'
import type { Document, DocumentStore, DocumentWrite, ScannedRow } from './read-model-store.ts'
import type { SqliteCheckpointStore } from './sqlite-checkpoint-store.ts'
import { type Collection, createCollections } from './sqlite-collection.ts'
import { createDocumentQueries } from './sqlite-document-queries.ts'
import type { Erasure } from './sqlite-erasure.ts'
import { phraseOf, searchText, somePieceOf } from './sqlite-search.ts'

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

  /** What is stored of a document to be searched in. */
  const searchTextOf = ({ search }: Collection, document: Document | null): string | null =>
    document && search.length > 0 ? searchText(search.map((path) => scalarAt(document, path))) : null

  /** Whether a search finds a document by a piece of its text, another one each time. */
  const isIndexed = ({ texts }: Collection, seq: number, text: string | null): boolean => {
    if (texts === undefined || !text) return true
    const match = `SELECT 1 FROM ${texts} WHERE ${texts} MATCH ? AND rowid = ?`
    return database.statement(match).get(phraseOf(somePieceOf(text)), seq) !== undefined
  }

  const toScannedRow = (collection: Collection, row: Row): ScannedRow => {
    const [document, rank] = [scannedDocument(row['document']), Number(row['seq'])]
    const text = searchTextOf(collection, document)
    return {
      id: String(row['id']),
      document,
      position: scannedPosition(row['position']),
      rank,
      isSound: row['has_own_keys'] === 1 && row['search'] === text && isIndexed(collection, rank, text),
    }
  }

  /** False where the document is not at the expected position. */
  const writeOne = (collection: Collection, { id, document, position, expected }: DocumentWrite): boolean => {
    const text = document && JSON.stringify(document)
    const values = [position, text, searchTextOf(collection, document), id]
    return (
      (expected === null
        ? database.statement(collection.insert).run(...values)
        : database.statement(collection.update).run(...values, expected)) > 0
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

    async *scan(name, pageSize) {
      let last: Row | undefined
      do {
        const collection = collections.get(name)
        const select = `SELECT seq, id, position, document, search, ${collection.hasOwnKeys} AS has_own_keys
          FROM ${collection.documents} AS d ${last ? 'WHERE id > ?' : ''} ORDER BY id LIMIT ?`
        const rows = database.statement(select).all(...(last ? [String(last['id'])] : []), pageSize)
        if (rows.length > 0) yield rows.map((row) => toScannedRow(collection, row))
        last = rows.at(-1)
      } while (last)
    },

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
