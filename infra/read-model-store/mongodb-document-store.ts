import { isDeepStrictEqual } from 'node:util'
import { type AnyBulkWriteOperation, BSON, type BulkWriteResult, type Collection, MongoBulkWriteError } from 'mongodb'
import { toPosition } from '#infra/event-store/event-store.ts'
import { anyOf, type Connection, DUPLICATE } from '#infra/mongodb/mongodb-connection.ts'
import type { CheckpointStore, DocumentStore, DocumentWrite, ScannedRow } from './read-model-store.ts'
import { checkWrites, parseDocument, scannedDocument, scannedPosition } from './document-rules.ts'
import { createCollections } from './mongodb-collections.ts'
import { createDocumentQueries } from './mongodb-document-queries.ts'
import { contentOf, type Stored } from './mongodb-stored-document.ts'

/**
 * Documents in MongoDB: how they lie there is in mongodb-stored-document.ts, how they are found in
 * mongodb-document-queries.ts.
 */
export function createMongodbDocumentStore(
  connection: Connection,
  checkpoints: Pick<CheckpointStore, 'save'>,
): DocumentStore {
  const { run, inBatches } = connection
  const collections = createCollections(connection)

  /** The current positions of documents. */
  const positionsOf = async (documents: Collection<Stored>, ids: readonly string[]): Promise<Map<string, string>> => {
    const found = await run(() => documents.find({ _id: anyOf(ids) }, { projection: { position: 1 } }).toArray())
    return new Map(found.map(({ _id, position }) => [_id, position]))
  }

  const writeDocuments = async (name: string, writes: readonly DocumentWrite[]): Promise<string[]> => {
    checkWrites(writes)
    const { search, documents } = await collections.get(name)
    if (writes.length === 0) return []
    const made = writes.filter(({ expected }) => expected === null)
    const changed = writes.filter(({ expected }) => expected !== null)
    const first = made.length > 0 ? await collections.reserveNumbers(name, made.length) : 0
    const inserts = made.map(({ id, document, position }, n) => {
      return { insertOne: { document: { _id: id, position, made: first + n, ...contentOf(document, search) } } }
    })
    const updates = changed.map(({ id, document, position, expected }) => {
      return {
        updateOne: {
          filter: { _id: id, position: expected ?? '' },
          update: { $set: { position, ...contentOf(document, search) } },
        },
      }
    })
    const bulkWrite = (operations: AnyBulkWriteOperation<Stored>[]) =>
      run(() => outcomeOf(documents.bulkWrite(operations, { ordered: false })))
    // In one call they would be two commands as well.
    const { duplicates } = inserts.length > 0 ? await bulkWrite(inserts) : { duplicates: new Set<number>() }
    let matched = 0
    await inBatches(updates, async (batch) => {
      matched += (await bulkWrite(batch)).matched
    })
    const refused = made.flatMap(({ id }, n) => (duplicates.has(n) ? [id] : []))
    if (matched === changed.length) return refused
    // Some were not at the expected position. If one is at the written position, another worker wrote it from the same
    // events.
    const now = await positionsOf(
      documents,
      changed.map(({ id }) => id),
    )
    return [...refused, ...changed.flatMap(({ id, position }) => (now.get(id) === position ? [] : [id]))]
  }

  return {
    ...createDocumentQueries(connection, collections),
    create: (definition) => collections.create(definition),
    createIndexes: ({ name }) => collections.createIndexes(name),
    drop: (name) => collections.drop(name),

    async read(name, ids) {
      const { documents } = await collections.get(name)
      if (ids.length === 0) return new Map()
      const found = await run(() =>
        documents.find({ _id: anyOf(ids) }, { projection: { position: 1, document: 1 } }).toArray(),
      )
      return new Map(
        found.map(({ _id: id, position, document }) => {
          return [
            id,
            { id, document: document === null ? null : parseDocument(document), position: toPosition(position) },
          ]
        }),
      )
    },

    async *scan(name, pageSize) {
      let last: Stored | undefined
      do {
        const { search, documents } = await collections.get(name)
        const after = last ? { _id: { $gt: last._id } } : {}
        const rows = await run(() => documents.find(after).sort({ _id: 1 }).limit(pageSize).toArray())
        if (rows.length > 0) yield rows.map((row) => toScannedRow(row, search))
        last = rows.at(-1)
      } while (last)
    },

    async write(name, writes, checkpoint) {
      const refused = await writeDocuments(name, writes)
      if (checkpoint && refused.length === 0) await checkpoints.save(checkpoint)
      return refused
    },
  }
}

function toScannedRow({ _id, position, document: text, ...row }: Stored, searched: readonly string[]): ScannedRow {
  const document = scannedDocument(text)
  const { document: _text, ...expected } = contentOf(document, searched)
  const { gone, keys, search, grams } = row
  // BSON keeps no half of a character, which a piece of a text may begin with.
  const stored = BSON.deserialize(BSON.serialize(expected))
  const isSound = isDeepStrictEqual({ gone, keys, search, grams }, stored)
  return { id: String(_id), document, position: scannedPosition(position), rank: null, isSound }
}

/** How many documents were found for a change, and which of the new ones existed already. */
async function outcomeOf(writing: Promise<BulkWriteResult>): Promise<{ matched: number; duplicates: Set<number> }> {
  try {
    return { matched: (await writing).matchedCount, duplicates: new Set() }
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error
    const errors = [error.writeErrors].flat()
    // After any other failure the outcome is not known.
    if (errors.length === 0 || errors.some(({ code }) => code !== DUPLICATE) || error.result.getWriteConcernError())
      throw error
    return { matched: error.result.matchedCount, duplicates: new Set(errors.map(({ index }) => index)) }
  }
}
