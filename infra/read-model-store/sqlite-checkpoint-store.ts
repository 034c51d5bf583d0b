import { toCheckpoint, toPosition } from '../event-store/event-store.ts'
import type { Row, Sqlite } from '../sqlite/sqlite.ts'
import type { CheckpointStore, ConsumerCheckpoint, SavedCheckpoint } from './checkpoint-store.ts'
import { createCheckpointWaiters } from './checkpoint-waiters.ts'

/** The polling interval for other processes' checkpoints while a caller waits, in ms. */
const LOOK_EVERY_MS = 4

/** The stores open in this process, by their files. */
const storesOf = new Map<string, Set<() => void>>()

export type SqliteCheckpointStore = ReturnType<typeof createSqliteCheckpointStore>

/**
 * Checkpoints in SQLite. SQLite reports no changes by other processes. But checking whether the file changed is cheap, and
 * only done while a caller waits.
 *
 * @param file The file's real path.
 */
export function createSqliteCheckpointStore(database: Sqlite, file: string) {
  database.exec(`CREATE TABLE IF NOT EXISTS checkpoints (
    consumer   TEXT PRIMARY KEY,
    checkpoint TEXT NOT NULL,
    position   TEXT NOT NULL
  ) STRICT`)
  const select = database.statement('SELECT checkpoint, position FROM checkpoints WHERE consumer = ?')
  const selectAll = database.statement('SELECT consumer, checkpoint, position FROM checkpoints ORDER BY consumer')
  const upsert = database.statement(`
    INSERT INTO checkpoints (consumer, checkpoint, position) VALUES (?, ?, ?)
    ON CONFLICT (consumer) DO UPDATE SET checkpoint = excluded.checkpoint, position = excluded.position
    WHERE (length(excluded.position), excluded.position) >= (length(position), position)`)
  const remove = database.statement('DELETE FROM checkpoints WHERE consumer = ?')
  const dataVersion = database.statement('PRAGMA data_version')

  const waiters = createCheckpointWaiters()
  let looking: NodeJS.Timeout | undefined
  let seen = { version: 0, checkpoints: '' }

  const endAll = (error?: unknown): void => {
    clearInterval(looking)
    looking = undefined
    waiters.end(error)
  }
  const wakeAll = (): void => endAll()

  const fileVersion = (): number => Number(dataVersion.get()?.['data_version'])
  const allCheckpoints = (): string => JSON.stringify(selectAll.all())

  /** This connection's own writes do not change the version: `notify` reports those. */
  const look = (): void => {
    const version = fileVersion()
    if (version === seen.version) return
    const before = seen.checkpoints
    seen = { version, checkpoints: allCheckpoints() }
    if (seen.checkpoints !== before) wakeAll()
  }

  const lookOrFail = (): void => {
    try {
      look()
    } catch (error) {
      endAll(error)
    }
  }

  const inThisProcess = storesOf.get(file) ?? new Set()
  storesOf.set(file, inThisProcess)
  inThisProcess.add(wakeAll)

  /** To be called in a transaction. */
  const put = ({ consumer, checkpoint, position }: ConsumerCheckpoint): void => void upsert.run(consumer, checkpoint, position)
  /** To be called when it is committed. */
  const notify = (): void => {
    for (const wake of inThisProcess) wake()
  }

  const store: CheckpointStore = {
    async load(consumer) {
      const row = select.get(consumer)
      return row && toSavedCheckpoint(row)
    },
    async loadAll() {
      return new Map(selectAll.all().map((row) => [String(row['consumer']), toSavedCheckpoint(row)]))
    },
    async save(...checkpoints) {
      database.transaction(() => checkpoints.forEach(put))
      notify()
    },
    async delete(consumer) {
      remove.run(consumer)
    },

    async saved(ms) {
      // This look may wake those who already wait, and then starts afresh.
      if (looking) look()
      looking ??= (() => {
        seen = { version: fileVersion(), checkpoints: allCheckpoints() }
        return setInterval(lookOrFail, LOOK_EVERY_MS)
      })()
      await waiters.wait(ms)
      if (waiters.isEmpty()) wakeAll()
    },
  }
  const close = (): void => {
    inThisProcess.delete(wakeAll)
    if (inThisProcess.size === 0) storesOf.delete(file)
    wakeAll()
  }
  return { ...store, put, notify, close }
}

function toSavedCheckpoint(row: Row): SavedCheckpoint {
  return { checkpoint: toCheckpoint(String(row['checkpoint'])), position: toPosition(String(row['position'])) }
}
