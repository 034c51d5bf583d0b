import { join } from 'node:path'
import Libsql from 'libsql'
import { MongoClient } from 'mongodb'
import { z } from 'zod'
import type { Document } from '#infra/read-model-store/read-model-store.ts'
import { contentOf, type Stored } from '#infra/read-model-store/mongodb-stored-document.ts'
import type { Portal } from './portal.ts'

/** What an attacker makes of a stored document; null removes its row. */
type Change = (document: Document) => Document | null

const parsed = (text: string): Document => z.record(z.string(), z.json()).parse(JSON.parse(text))

/**
 * Rewrites a document of a read model past the portal, as who can write to its store and has no key: its position
 * stays. Returns what was there.
 */
export async function rewriteDocument(
  { dataDir, running }: Portal,
  projection: string,
  id: string,
  change: Change,
): Promise<Document> {
  const { readModelStore, config } = running.parts
  const collection = (await readModelStore.projections.load(projection))?.serving
  if (collection === undefined) throw new Error(`There is no read model ${projection}`)
  if (config.mongodbUrl === undefined) {
    const database = new Libsql(join(dataDir, 'views.sqlite'))
    try {
      const table = `"documents:${collection}"`
      const row: unknown = database.prepare(`SELECT document FROM ${table} WHERE id = ?`).get(id)
      const before = parsed(z.object({ document: z.string() }).parse(row).document)
      const after = change(structuredClone(before))
      if (after === null) database.prepare(`DELETE FROM ${table} WHERE id = ?`).run(id)
      else database.prepare(`UPDATE ${table} SET document = ? WHERE id = ?`).run(JSON.stringify(after), id)
      return before
    } finally {
      database.close()
    }
  }
  const client = new MongoClient(config.mongodbUrl)
  try {
    const documents = client.db().collection<Stored>(`view_${collection}`)
    const before = parsed((await documents.findOne({ _id: id }))?.document ?? 'null')
    const after = change(structuredClone(before))
    if (after === null) await documents.deleteOne({ _id: id })
    else {
      // What finds it in a search stays, or nobody would meet it there.
      const { search: _1, grams: _2, ...content } = contentOf(after, [])
      await documents.updateOne({ _id: id }, { $set: content })
    }
    return before
  } finally {
    await client.close()
  }
}
