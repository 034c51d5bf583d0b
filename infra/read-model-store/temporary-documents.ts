import Libsql from 'libsql'
import { z } from 'zod'
import { type Position, toPosition } from '#infra/event-store/event-store.ts'

/**
 * Documents for a while, in a file without a name: nobody else can open it, and it is gone with the process. SQLite keeps
 * it in its folder for temporary files (SQLITE_TMPDIR, /var/tmp, /tmp) and a part of it in memory.
 */
export type TemporaryDocuments = ReturnType<typeof openTemporaryDocuments>

export interface TemporaryDocument {
  readonly id: string
  /** Null for a tombstone. */
  readonly content: Uint8Array | null
  readonly position: Position
  /** Counts up from 1 in each collection as documents are first written. */
  readonly rank: number
}

/** KiB in memory. */
const CACHE = 16_384

export function openTemporaryDocuments(collections: readonly string[]) {
  const database = new Libsql(':memory:')
  // The name of a file: the main database of a connection without one stays in memory.
  database.exec(`ATTACH '' AS scratch; PRAGMA scratch.cache_size = -${CACHE}`)
  const tables = new Map(
    collections.map((name, n) => {
      const table = `scratch.documents${n}`
      database.exec(
        `CREATE TABLE ${table} (rank INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, position TEXT NOT NULL, content BLOB) STRICT`,
      )
      const columns = `SELECT rank, id, position, content FROM ${table}`
      return [
        name,
        {
          some: database.prepare<[readonly [string]]>(`${columns} WHERE id IN (SELECT value FROM json_each(?))`).raw(),
          page: database.prepare<[readonly [number, number]]>(`${columns} WHERE rank > ? ORDER BY rank LIMIT ?`).raw(),
          last: database.prepare(`SELECT ifnull(max(rank), 0) FROM ${table}`).raw(),
          upsert: database.prepare<[readonly [string, string, Uint8Array | null]]>(
            `INSERT INTO ${table} (id, position, content) VALUES (?, ?, ?)
              ON CONFLICT (id) DO UPDATE SET position = excluded.position, content = excluded.content`,
          ),
        },
      ] as const
    }),
  )
  const of = (collection: string) => {
    const table = tables.get(collection)
    if (!table) throw new Error(`There is no collection ${collection}`)
    return table
  }

  return {
    read(collection: string, ids: readonly string[]): Map<string, TemporaryDocument> {
      if (ids.length === 0) return new Map()
      const rows = of(collection)
        .some.all([JSON.stringify(ids)])
        .map((row) => toDocument(row))
      return new Map(rows.map((row) => [row.id, row]))
    },
    write(collection: string, documents: readonly Omit<TemporaryDocument, 'rank'>[]): void {
      const { upsert } = of(collection)
      database.exec('BEGIN')
      for (const { id, position, content } of documents) upsert.run([id, position, content])
      database.exec('COMMIT')
    },
    /** Documents in the order in which they were first written, after a rank. */
    page(collection: string, after: number, limit: number): TemporaryDocument[] {
      return of(collection)
        .page.all([after, limit])
        .map((row) => toDocument(row))
    },
    /** The highest rank, which is the number of documents. */
    count(collection: string): number {
      return z.tuple([z.number()]).parse(of(collection).last.get())[0]
    },
    close: () => database.close(),
  }
}

const columns = z.tuple([z.number(), z.string(), z.string(), z.instanceof(Uint8Array).nullable()])

function toDocument(row: unknown): TemporaryDocument {
  const [rank, id, position, content] = columns.parse(row)
  return { id, content, position: toPosition(position), rank }
}
