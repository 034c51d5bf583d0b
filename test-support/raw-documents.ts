import { join } from 'node:path'
import Libsql from 'libsql'
import { MongoClient } from 'mongodb'
import { z } from 'zod'
import type { Portal } from './portal.ts'

/** A row of a read model as it lies in its store, by the names of its columns or fields. */
export type RawRow = Readonly<Record<string, unknown>>

/** The rows of the collection that is served, past the portal: for who can write to the store and has no key. */
export interface RawDocuments {
  readonly collection: string
  /** The names of what the stores call differently. */
  readonly names: { readonly id: string; readonly rank: string }
  read(id: string): Promise<RawRow>
  ids(): Promise<string[]>
  /** Puts a row there, or in the place of the one with its id. */
  put(row: RawRow): Promise<void>
  remove(id: string): Promise<void>
  /** Makes searches forget a document whose row stays; does nothing where the row itself is the index. */
  unindex(id: string): Promise<void>
}

const rowShape = z.record(z.string(), z.unknown())

/** Opens them for one work. */
export async function withRawDocuments<Result>(
  { dataDir, running }: Portal,
  projection: string,
  work: (documents: RawDocuments) => Promise<Result>,
): Promise<Result> {
  const { readModelStore, config } = running.parts
  const collection = (await readModelStore.projections.load(projection))?.serving
  if (collection === undefined) throw new Error(`There is no read model ${projection}`)
  if (config.mongodbUrl === undefined) {
    const database = new Libsql(join(dataDir, 'views.sqlite'))
    try {
      database.exec('PRAGMA busy_timeout = 5000')
      return await work(inSqlite(database, collection))
    } finally {
      database.close()
    }
  }
  const client = new MongoClient(config.mongodbUrl)
  try {
    return await work(inMongodb(client, collection))
  } finally {
    await client.close()
  }
}

function inSqlite(database: Libsql.Database, collection: string): RawDocuments {
  const [table, texts] = [`"documents:${collection}"`, `"texts:${collection}"`]
  const read = (id: string): RawRow => rowShape.parse(database.prepare(`SELECT * FROM ${table} WHERE id = ?`).get([id]))
  return {
    collection,
    names: { id: 'id', rank: 'seq' },
    read: async (id) => read(id),
    async ids() {
      const rows = database.prepare(`SELECT id FROM ${table} ORDER BY seq`).all()
      return z
        .array(z.object({ id: z.string() }))
        .parse(rows)
        .map(({ id }) => id)
    },
    async put({ _metadata, ...row }) {
      const [columns, values] = [Object.keys(row), Object.values(row)]
      const set = columns.map((name) => `"${name}" = excluded."${name}"`).join(', ')
      database
        .prepare(
          `INSERT INTO ${table} (${columns.map((name) => `"${name}"`).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
            ON CONFLICT (id) DO UPDATE SET ${set}`,
        )
        .run(values)
    },
    async remove(id) {
      database.prepare(`DELETE FROM ${table} WHERE id = ?`).run([id])
    },
    async unindex(id) {
      const { seq, search } = read(id)
      if (search === null) return
      database.prepare(`INSERT INTO ${texts} (${texts}, rowid, text) VALUES ('delete', ?, ?)`).run([seq, search])
    },
  }
}

function inMongodb(client: MongoClient, collection: string): RawDocuments {
  const documents = client.db().collection<{ _id: string }>(`view_${collection}`)
  return {
    collection,
    names: { id: '_id', rank: 'made' },
    read: async (id) => rowShape.parse(await documents.findOne({ _id: id })),
    ids: async () => (await documents.find().toArray()).map(({ _id }) => _id),
    async put({ _id, ...row }) {
      await documents.replaceOne({ _id: String(_id) }, row, { upsert: true })
    },
    async remove(id) {
      await documents.deleteOne({ _id: id })
    },
    async unindex() {},
  }
}
