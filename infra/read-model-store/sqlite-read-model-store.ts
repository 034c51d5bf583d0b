import { realpathSync, rmSync } from 'node:fs'
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
  // An index is written in all places: with SQLite's 2 MB of cache nearly every write begins with a read.
  database.exec('PRAGMA cache_size = -32768')
  // Many transactions write the same page of an index: the longer the log, the fewer times it is copied into the file.
  database.exec('PRAGMA wal_autocheckpoint = 16000')
  const { erasure, checkpoints, ...stores } = database.transaction(() => {
    removeOldLayout(database)
    const erasure = createErasure(database)
    const file = realpathSync(path)
    const checkpoints = createSqliteCheckpointStore(database, file)
    return {
      erasure,
      checkpoints,
      documents: createSqliteDocumentStore(database, checkpoints, erasure),
      projections: createSqliteProjectionStore(database),
      deadLetters: createSqliteDeadLetterStore(database),
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
      checkpoints.close()
      database.close()
    },
  }
}

/** Deletes the file of a read-model store that is not open. */
export function removeSqliteReadModelStore(path: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
}

/**
 * Up to version e747b87 collections lay in other tables. Their documents are dropped and built again from the log, once;
 * the checkpoints of other consumers stay. A worker of that version may still be running, or be started again: what it
 * leaves is removed at the next start.
 */
function removeOldLayout(database: Sqlite): void {
  const isOld = database.statement(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'collections'`)
  if (!isOld.get()) return
  const names = database
    .statement('SELECT name FROM collections')
    .all()
    .map(({ name }) => String(name))
  for (const name of names) {
    markDropped(database, [`${name}:documents`, `${name}:search`])
    for (const table of ['progress', 'poison']) database.statement(`DELETE FROM ${table} WHERE reader = ?`).run(name)
  }
  for (const table of ['collections', 'settings']) database.exec(`DROP TABLE IF EXISTS ${table}`)
}
