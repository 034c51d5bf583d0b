import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '#infra/failures.ts'
import type { Sqlite } from '#infra/sqlite/sqlite.ts'
import { removeDroppedTables } from './sqlite-collection.ts'

export type Erasure = ReturnType<typeof createErasure>

/** Several deletions share the cost, in ms. */
const DELAY_MS = 1_000
/** Pages of a full-text index that are merged at a time, which stops everything else for some ms. */
const PAGES = 200
const PAUSE_MS = 20
/** How long closing may take for this; the next start does the rest. */
const CLOSE_TIMEOUT_MS = 2_000

/**
 * Removes deleted data from the disk. SQLite overwrites what is deleted (secure_delete), but not at once and not
 * everywhere:
 *
 * - FTS5 only marks a text as deleted. Merging its segments into one leaves it out. (FTS5's own 'secure-delete' would
 * do   without, but leaves a malformed index when the process is killed at it.)
 * - The log beside the file still has what was written before, and so has the file. Emptying the log overwrites both.
 */
export function createErasure(database: Sqlite) {
  database.exec('CREATE TABLE IF NOT EXISTS pending_erasures (texts TEXT PRIMARY KEY) STRICT')
  const add = database.statement('INSERT INTO pending_erasures (texts) VALUES (?) ON CONFLICT DO NOTHING')
  const select = database.statement(
    'SELECT texts FROM pending_erasures WHERE EXISTS (SELECT 1 FROM sqlite_schema WHERE name = texts)',
  )
  const remove = database.statement('DELETE FROM pending_erasures WHERE texts = ?')
  const changes = database.statement('SELECT total_changes() AS total')
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let isRunning = false
  /** Full-text indexes from which something was deleted since the run began. */
  const again = new Set<string>()

  /** Merges some pages; returns whether there are more. */
  const merge = (texts: string, pages: number): boolean =>
    database.transaction(() => {
      const before = Number(changes.get()?.['total'])
      database.exec(`INSERT INTO "${texts}" ("${texts}", rank) VALUES ('merge', ${pages})`)
      // FTS5 changes less than two rows where it had nothing to do.
      return Number(changes.get()?.['total']) - before >= 2
    })

  /** Everything there is to do, in small steps. */
  function* steps(): Generator<undefined> {
    for (const { texts } of select.all()) {
      const name = String(texts)
      again.delete(name)
      // A negative number begins with all segments, the others go on with them.
      for (let pages = -PAGES; merge(name, pages); pages = PAGES) yield
      if (!again.has(name)) remove.run(name)
    }
  }

  const run = async (): Promise<void> => {
    timer = undefined
    if (isRunning) return schedule()
    isRunning = true
    try {
      await removeDroppedTables(database)
      for (const _ of steps()) {
        await delay(PAUSE_MS, undefined, { ref: false })
        if (isClosed) return
      }
      // Others use the file now: nothing waits for the next try.
      if (again.size > 0 || !database.checkpointIfFree()) schedule()
    } catch (error) {
      // A damaged index is reported to those who search in it, and a rebuild replaces it.
      if (error instanceof Unavailable) schedule()
    } finally {
      isRunning = false
    }
  }

  const schedule = (): void => {
    if (!isClosed) timer ??= setTimeout(() => void run(), DELAY_MS).unref()
  }

  // An earlier process may have been killed before it was done.
  schedule()

  return {
    /**
     * Something was deleted from a full-text index, or from another table: soon no file holds it any more, even after a
     * kill. The index is merged into one segment, which makes searches faster, too.
     */
    request(texts?: string): void {
      if (texts !== undefined) {
        add.run(texts)
        again.add(texts)
      }
      schedule()
    },
    close(): void {
      if (isClosed) return
      isClosed = true
      clearTimeout(timer)
      try {
        const end = Date.now() + CLOSE_TIMEOUT_MS
        for (const _ of steps()) if (Date.now() > end) return
      } catch {
        // A file that can't be used must still be closed. What is pending stays noted in it.
      }
    },
  }
}
