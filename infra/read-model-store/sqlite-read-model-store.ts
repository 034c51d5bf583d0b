import { rmSync } from 'node:fs'
import { openSqlite } from '#infra/sqlite/sqlite.ts'
import type { ReadModelStore } from './read-model-store.ts'
import { createSqliteCheckpointStore } from './sqlite-checkpoint-store.ts'
import { createSqliteDeadLetterStore } from './sqlite-dead-letter-store.ts'
import { createSqliteDocumentStore } from './sqlite-document-store.ts'
import { createErasure } from './sqlite-erasure.ts'
import { createSqliteLeaseStore } from './sqlite-lease-store.ts'
import { createSqliteProjectionStore } from './sqlite-projection-store.ts'

/**
 * Moving the write-ahead log into the file stops all requests until the disk has it: with 64 MB for about 50 ms. In a
 * longer log, a page that many transactions write is moved once.
 */
const LOG_LIMIT = 64_000_000

/**
 * Opens the read models in one SQLite file. Documents and checkpoints are committed together, so they always agree; and
 * no commit waits for the disk, because what a power cut takes is applied again from the log.
 */
export function openSqliteReadModelStore(path: string): ReadModelStore {
  const database = openSqlite(path, {
    part: 'view store',
    durability: 'normal',
    secureDelete: true,
    logLimit: LOG_LIMIT,
  })
  // Index writes are scattered: with SQLite's default cache of 2 MB nearly every write begins with a read.
  database.exec('PRAGMA cache_size = -32768')
  const { erasure, checkpoints, ...stores } = database.transaction(() => {
    const erasure = createErasure(database)
    const checkpoints = createSqliteCheckpointStore(database)
    const deadLetters = createSqliteDeadLetterStore(database)
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
