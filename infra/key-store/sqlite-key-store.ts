import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '../failures.ts'
import { openSqlite, type Row, type Sqlite, type SqliteOptions } from '../sqlite/sqlite.ts'
import { checkReplacement, type KeyStore, type StoredKey } from './key-store.ts'

export interface SqliteKeyStoreOptions extends Pick<SqliteOptions, 'busyTimeout'> {
  /** How long to try to empty the write-ahead log while others use the file, in ms; 10 s by default. */
  readonly checkpointTimeout?: number
}

/**
 * Wrapped keys in one SQLite file. A destroyed key is overwritten where it stands, and so is a replaced one; then the write-ahead
 * log, which has held it too, is emptied. (What a disk keeps of blocks it has freed, and backups, are beyond this.)
 */
export function openSqliteKeyStore(path: string, { checkpointTimeout = 10_000, ...options }: SqliteKeyStoreOptions = {}): KeyStore {
  const database = openSqlite(path, { ...options, part: 'key store', durability: 'full', secureDelete: true })
  // `number` only grows, so a key's row is written at the end of the table and never moved: a moved one could leave a copy behind.
  database.transaction(() =>
    database.exec(`
    CREATE TABLE IF NOT EXISTS keys (
      number    INTEGER PRIMARY KEY,
      id        TEXT NOT NULL UNIQUE,
      wrapped   BLOB NOT NULL,
      destroyed INTEGER NOT NULL
    ) STRICT;
  `),
  )
  emptyLog(database)

  const select = database.statement('SELECT id, wrapped, destroyed FROM keys WHERE id IN (SELECT value FROM json_each(?))')
  const insert = database.statement('INSERT INTO keys (id, wrapped, destroyed) VALUES (?, ?, 0) ON CONFLICT (id) DO NOTHING')
  // As long as before, so that SQLite overwrites the old bytes in their place.
  const overwrite = database.statement(`
    INSERT INTO keys (id, wrapped, destroyed) VALUES (?, x'', 1)
    ON CONFLICT (id) DO UPDATE SET wrapped = zeroblob(length(wrapped)), destroyed = 1`)
  // As long as before, too.
  const exchange = database.statement('UPDATE keys SET wrapped = ? WHERE id = ? AND wrapped = ? AND destroyed = 0')

  const get = (ids: readonly string[]): Map<string, StoredKey> => new Map(select.all(JSON.stringify(ids)).map(toEntry))

  /** For another process that does the same SQLite does not wait by itself. */
  const emptied = async (): Promise<void> => {
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
      const kept = get([id]).get(id)
      if (!kept) throw new TypeError(`The key of ${id} was not kept`)
      return kept
    },

    async replace(id, expected, wrapped) {
      checkReplacement(expected, wrapped)
      const isReplaced = exchange.run(wrapped, id, expected) > 0
      // It is done, whoever reads: the next start empties the log as well.
      if (isReplaced) await emptied().catch(unlessInUse)
      return isReplaced
    },

    async destroy(id) {
      overwrite.run(id)
      await emptied()
    },

    ready: async () => database.ready(),
    close: async () => database.close(),
  }
}

/** Finishes what a process that was killed while it destroyed a key has left; while another one reads, the next start or `destroy` does. */
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
  if (typeof id !== 'string' || !(wrapped instanceof ArrayBuffer)) throw new TypeError('The key store holds a row that is no key')
  return [id, destroyed ? 'destroyed' : { wrapped: new Uint8Array(wrapped) }]
}
