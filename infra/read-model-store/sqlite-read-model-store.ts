import { rmSync } from 'node:fs'
import { openSqlite, type Sqlite } from '../sqlite/sqlite.ts'
import type { ReadModelStore } from './read-model-store.ts'
import { createSqliteCheckpointStore } from './sqlite-checkpoint-store.ts'
import { markDropped } from './sqlite-collection.ts'
import { createSqliteDeadLetterStore } from './sqlite-dead-letter-store.ts'
import { createSqliteDocumentStore } from './sqlite-document-store.ts'
import { createErasure } from './sqlite-erasure.ts'
import { createSqliteLeaseStore } from './sqlite-lease-store.ts'
import { createSqliteProjectionStore } from './sqlite-projection-store.ts'

/**
 * Opens the read models in one SQLite file. Documents and checkpoints are committed together, so they always agree; and
 * no commit waits for the disk, because what a power cut takes is applied again from the log.
 */
export function openSqliteReadModelStore(path: string): ReadModelStore {
  const database = openSqlite(path, { part: 'view store', durability: 'normal', secureDelete: true })
  // Index writes are scattered: with SQLite's default cache of 2 MB nearly every write begins with a read.
  database.exec('PRAGMA cache_size = -32768')
  // Many transactions write the same index page: with a longer WAL it is copied into the file less often.
  database.exec('PRAGMA wal_autocheckpoint = 16000')
  const { erasure, checkpoints, ...stores } = database.transaction(() => {
    const erasure = createErasure(database)
    const checkpoints = createSqliteCheckpointStore(database)
    const deadLetters = createSqliteDeadLetterStore(database)
    removeOldLayout(database)
    removeKeyTables(database)
    return {
      erasure,
      checkpoints,
      deadLetters,
      documents: createSqliteDocumentStore(database, checkpoints, erasure),
      projections: createSqliteProjectionStore(database),
      leases: createSqliteLeaseStore(database),
    }
  })

  return {
    ...stores,
    checkpoints,
    async ready() {
      database.ready()
    },
    async close() {
      erasure.close()
      checkpoints.wakeAll()
      database.close()
    },
  }
}

/** Deletes the file of a read-model store that is not open. */
export function removeSqliteReadModelStore(path: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
}

/**
 * Up to version e747b87 collections were stored in other tables. Their documents are dropped and rebuilt from the log once;
 * checkpoints and dead letters of other consumers are kept. A worker of that version may still run, or start again: it
 * finds none of our tables, and the next start removes what it leaves.
 */
function removeOldLayout(database: Sqlite): void {
  const isOld = database.statement(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'collections'`)
  if (!isOld.get()) return
  const isKept = 'WHERE reader NOT IN (SELECT name FROM collections) ON CONFLICT DO NOTHING'
  database.exec(`INSERT INTO checkpoints SELECT reader, checkpoint, position FROM progress ${isKept}`)
  database.exec(`INSERT INTO dead_letters SELECT reader, stream, revision, position, type, error FROM poison ${isKept}`)
  const names = database.statement('SELECT name FROM collections').all()
  for (const { name } of names) markDropped(database, [`${String(name)}:documents`, `${String(name)}:search`])
  for (const table of ['collections', 'progress', 'poison', 'settings']) database.exec(`DROP TABLE ${table}`)
}

/**
 * Versions between that one and this kept the keys of documents in a table beside them, filled by triggers. Their documents
 * are dropped and rebuilt as well.
 */
function removeKeyTables(database: Sqlite): void {
  const isOld = database.statement(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'document_collections'`)
  if (!isOld.get()) return
  for (const { name } of database.statement('SELECT name FROM document_collections').all()) {
    const collection = String(name)
    const tables = ['documents', 'keys', 'texts'].map((table) => `${table}:${collection}`)
    const triggers = database.statement(`SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?`).all(`documents:${collection}`)
    for (const trigger of triggers) database.exec(`DROP TRIGGER "${String(trigger['name'])}"`)
    markDropped(database, tables)
    for (const table of ['checkpoints', 'dead_letters']) database.statement(`DELETE FROM ${table} WHERE consumer = ?`).run(collection)
  }
  database.exec('DROP TABLE document_collections')
}
