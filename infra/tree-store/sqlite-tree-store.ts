import { toCheckpoint, toPosition } from '../event-store/event-store.ts'
import { openSqlite } from '../sqlite/sqlite.ts'
import type { TreeStore } from './tree-store.ts'

/** The tree over the log in one SQLite file, which several processes may share. Anything lost in a power cut is computed again. */
export function openSqliteTreeStore(path: string): TreeStore {
  const database = openSqlite(path, { part: 'tree store', durability: 'normal' })
  database.exec('PRAGMA cache_size = -8192')
  database.transaction(() =>
    database.exec(`
    CREATE TABLE IF NOT EXISTS blocks (key INTEGER PRIMARY KEY, size INTEGER NOT NULL, content BLOB NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS state (
      id INTEGER PRIMARY KEY CHECK (id = 1), size INTEGER NOT NULL, pending INTEGER NOT NULL, position TEXT NOT NULL, checkpoint TEXT NOT NULL
    ) STRICT;
  `),
  )
  const selectState = database.statement('SELECT size, pending, position, checkpoint FROM state')
  // One row for all blocks: reading a row costs more than reading a block. group_concat joins blobs byte for byte.
  const selectBlocks = database.statement(`
    SELECT group_concat(key) AS keys, group_concat(size) AS sizes, group_concat(length(content)) AS lengths, CAST(group_concat(content, '') AS BLOB) AS contents
    FROM (SELECT key, size, content FROM blocks WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key)`)
  const upsertBlock = database.statement(`
    INSERT INTO blocks (key, size, content) VALUES (?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET size = excluded.size, content = excluded.content WHERE excluded.size > size`)
  const upsertState = database.statement(`
    INSERT INTO state (id, size, pending, position, checkpoint) VALUES (1, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET size = excluded.size, pending = excluded.pending, position = excluded.position, checkpoint = excluded.checkpoint
    WHERE excluded.size >= size`)

  return {
    async state() {
      const row = selectState.get()
      if (!row) return undefined
      const { size, pending, position, checkpoint } = row
      return {
        size: Number(size),
        pending: Number(pending),
        position: toPosition(String(position)),
        checkpoint: toCheckpoint(String(checkpoint)),
      }
    },
    async read(keys) {
      const row = selectBlocks.get(JSON.stringify(keys))
      const contents = row?.['contents']
      if (!row || !(contents instanceof ArrayBuffer)) return new Map()
      const [found = [], sizes = [], lengths = []] = ['keys', 'sizes', 'lengths'].map((column) => String(row[column]).split(',').map(Number))
      let from = 0
      return new Map(
        found.map((key, n) => {
          // A copy, so that a block that is kept does not keep the others.
          const content = new Uint8Array(contents.slice(from, (from += lengths[n] ?? 0)))
          return [key, { key, size: sizes[n] ?? 0, content }]
        }),
      )
    },
    async write(blocks, { size, pending, position, checkpoint }) {
      database.transaction(() => {
        for (const block of blocks) upsertBlock.run(block.key, block.size, block.content)
        upsertState.run(size, pending, position, checkpoint)
      })
    },
    async clear() {
      database.transaction(() => database.exec('DELETE FROM blocks; DELETE FROM state'))
    },
    async close() {
      database.close()
    },
  }
}
