import { toCheckpoint, toPosition } from '#infra/event-store/event-store.ts'
import type { Row, Sqlite } from '#infra/sqlite/sqlite.ts'
import type { CheckpointStore, ConsumerCheckpoint, SavedCheckpoint } from './read-model-store.ts'
import { createCheckpointWaiters } from './checkpoint-waiters.ts'

/** The polling interval for checkpoints of other connections while a caller waits, in ms. */
const LOOK_EVERY_MS = 4

export type SqliteCheckpointStore = ReturnType<typeof createSqliteCheckpointStore>

/**
 * Checkpoints in SQLite. SQLite reports no changes by other connections. But checking whether the file changed is
 * cheap, and only done while a caller waits.
 */
export function createSqliteCheckpointStore(database: Sqlite) {
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

  /** This connection's own writes do not change the version: `wakeAll` follows those. */
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

  /** To be called in a transaction. */
  const put = ({ consumer, checkpoint, position }: ConsumerCheckpoint): void =>
    void upsert.run(consumer, checkpoint, position)

  const store: CheckpointStore = {
    async load(consumer) {
      const row = select.get(consumer)
      return row && toSavedCheckpoint(row)
    },
    async loadAll() {
      return new Map(selectAll.all().map((row) => [String(row['consumer']), toSavedCheckpoint(row)]))
    },
    async save(...checkpoints) {
      await database.transactionTogether(() => checkpoints.forEach(put))
      wakeAll()
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
  return {
    ...store,
    put,
    /** To be called when what was put is committed, and when the store is closed. */
    wakeAll,
  }
}

function toSavedCheckpoint(row: Row): SavedCheckpoint {
  return { checkpoint: toCheckpoint(String(row['checkpoint'])), position: toPosition(String(row['position'])) }
}
