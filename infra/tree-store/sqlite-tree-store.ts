import { toCheckpoint, toPosition } from '#infra/event-store/event-store.ts'
import { openSqlite, type Row } from '#infra/sqlite/sqlite.ts'
import type { TreeBlock, TreeStore } from './tree-store.ts'

const SCHEMA = `
    CREATE TABLE IF NOT EXISTS blocks (key INTEGER PRIMARY KEY, size INTEGER NOT NULL, content BLOB NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS state (
      id INTEGER PRIMARY KEY CHECK (id = 1), size INTEGER NOT NULL, pending INTEGER NOT NULL, position TEXT NOT NULL, checkpoint TEXT NOT NULL
    ) STRICT;
`

/**
 * The tree over the log in one SQLite file, which several processes may share. Anything lost in a power cut is computed
 * again.
 */
export function openSqliteTreeStore(path: string): TreeStore {
  const database = openSqlite(path, { part: 'tree store', schema: SCHEMA, durability: 'normal' })
  database.exec('PRAGMA cache_size = -8192')
  const selectState = database.statement('SELECT size, pending, position, checkpoint FROM state')
  const selectBlocks = database.statement(
    'SELECT key, size, content FROM blocks WHERE key IN (SELECT value FROM json_each(?))',
  )
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
      return new Map(selectBlocks.all(JSON.stringify(keys)).map((row) => [Number(row['key']), toBlock(row)]))
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

function toBlock({ key, size, content }: Row): TreeBlock {
  if (!(content instanceof ArrayBuffer)) throw new TypeError('The tree store holds a row that is no block')
  return { key: Number(key), size: Number(size), content: new Uint8Array(content) }
}
