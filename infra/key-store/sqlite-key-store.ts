import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '#infra/failures.ts'
import { openSqlite, type Row, type Sqlite, type SqliteOptions } from '#infra/sqlite/sqlite.ts'
import { checkReplacement, type KeyStore, type StoredKey } from './key-store.ts'

export interface SqliteKeyStoreOptions extends Pick<SqliteOptions, 'busyTimeout'> {
  /** How long to try to empty the write-ahead log while others use the file, in ms; 10 s by default. */
  readonly checkpointTimeout?: number
}

// `number` only grows, so rows are added at the end of the table and never move: a moved row could leave a copy behind.
const SCHEMA = `
    CREATE TABLE IF NOT EXISTS keys (
      number    INTEGER PRIMARY KEY,
      id        TEXT NOT NULL UNIQUE,
      wrapped   BLOB NOT NULL,
      destroyed INTEGER NOT NULL
    ) STRICT;
`

/**
 * Wrapped keys in one SQLite file. A destroyed or replaced key is overwritten in place; then the write-ahead log, which
 * held it too, is emptied. (Freed blocks of a disk, and backups, are out of reach.)
 */
export function openSqliteKeyStore(
  path: string,
  { checkpointTimeout = 10_000, ...options }: SqliteKeyStoreOptions = {},
): KeyStore {
  const database = openSqlite(path, {
    ...options,
    part: 'key store',
    schema: SCHEMA,
    durability: 'full',
    secureDelete: true,
  })
  emptyLog(database)

  const select = database.statement(
    'SELECT id, wrapped, destroyed FROM keys WHERE id IN (SELECT value FROM json_each(?))',
  )
  const insert = database.statement(
    'INSERT INTO keys (id, wrapped, destroyed) VALUES (?, ?, 0) ON CONFLICT (id) DO NOTHING',
  )
  // The same length, so that SQLite overwrites the old bytes in place.
  const overwrite = database.statement(`
    INSERT INTO keys (id, wrapped, destroyed) VALUES (?, ?, 1)
    ON CONFLICT (id) DO UPDATE SET wrapped = excluded.wrapped, destroyed = 1`)
  const replacement = database.statement('UPDATE keys SET wrapped = ? WHERE id = ? AND wrapped = ? AND destroyed = 0')

  const get = (ids: readonly string[]): Map<string, StoredKey> => new Map(select.all(JSON.stringify(ids)).map(toEntry))

  /** SQLite itself does not wait for a checkpoint of another process. */
  const emptyLogWithRetries = async (): Promise<void> => {
    for (const end = Date.now() + checkpointTimeout; ; await delay(20)) {
      try {
        return database.checkpoint()
      } catch (error) {
        if (!(error instanceof Unavailable) || Date.now() > end) throw error
      }
    }
  }

  return {
    get: async (ids) => get(ids),

    async add(id, wrapped) {
      insert.run(id, wrapped)
      const stored = get([id]).get(id)
      if (!stored) throw new TypeError(`The key of ${id} was not stored`)
      return stored
    },

    async replace(id, expected, wrapped) {
      checkReplacement(expected, wrapped)
      const isReplaced = replacement.run(wrapped, id, expected) > 0
      // The replacement is done even while others read: the next start empties the log too.
      if (isReplaced) await emptyLogWithRetries().catch(unlessInUse)
      return isReplaced
    },

    async destroy(id, tombstone) {
      overwrite.run(id, tombstone)
      await emptyLogWithRetries()
    },

    ready: async () => database.ready(),
    close: async () => database.close(),
  }
}

/** Completes a destruction that was killed. If other processes are reading, the next start or `destroy` does. */
function emptyLog(database: Sqlite): void {
  try {
    database.checkpoint()
  } catch (error) {
    unlessInUse(error)
  }
}

function unlessInUse(error: unknown): void {
  if (!(error instanceof Unavailable)) throw error
}

function toEntry({ id, wrapped, destroyed }: Row): [string, StoredKey] {
  if (typeof id !== 'string' || !(wrapped instanceof ArrayBuffer))
    throw new TypeError('The key store holds a row that is no key')
  return [id, { wrapped: new Uint8Array(wrapped), isDestroyed: destroyed !== 0 }]
}
