import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '../failures.ts'
import type { Sqlite } from '../sqlite/sqlite.ts'

/** Sees to it that what was deleted is gone from the disk too. */
export interface Emptying {
  /** Something was deleted: soon no file holds it any more. A kill meanwhile does no harm: the next start goes on. */
  soon(): void
  close(): void
}

/** Several deletions share what this costs, in ms. */
const AFTER = 1_000
/** Pages of a search that are merged at a time, which keeps everybody else waiting for some ms. */
const PAGES = 200
const BETWEEN = 20
/** How long closing may take for this, in ms; what is left then is done after the next start. */
const AT_CLOSE = 2_000

/**
 * SQLite overwrites what is deleted, but not at once and not everywhere:
 *
 * - FTS5 only strikes out what is taken out of the search. When its segments are merged into one, what was struck out is
 *   left behind. (Its own 'secure-delete' would do without, but leaves a malformed index when it is killed at work.)
 * - The log beside the file still has what was written before, and so has the file. Emptying the log writes all of it
 *   into its place.
 */
export function openEmptying(database: Sqlite): Emptying {
  let due: NodeJS.Timeout | undefined
  let isClosed = false
  let isAtWork = false

  const note = database.statement(`INSERT INTO settings (name, value) VALUES ('emptying', 'due') ON CONFLICT (name) DO NOTHING`)
  const noted = database.statement(`SELECT 1 FROM settings WHERE name = 'emptying'`)
  const unnote = database.statement(`DELETE FROM settings WHERE name = 'emptying'`)
  const searches = database.statement(`SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%'`)
  const changes = database.statement('SELECT total_changes() AS total')

  /** Merges some pages of a search; answers whether there is more to merge. */
  const merge = (search: string, pages: number): boolean =>
    database.transaction(() => {
      const before = Number(changes.get()?.['total'])
      database.exec(`INSERT INTO "${search}" ("${search}", rank) VALUES ('merge', ${pages})`)
      // How FTS5 tells that it had nothing to do.
      return Number(changes.get()?.['total']) - before >= 2
    })

  /** All that is to be done, in small steps. */
  function* steps(): Generator<undefined> {
    for (const { name } of searches.all()) {
      // A negative number begins with all segments, the others go on with them.
      for (let pages = -PAGES; merge(String(name), pages); pages = PAGES) yield
    }
  }

  const empty = async (): Promise<void> => {
    due = undefined
    if (isAtWork) return later()
    isAtWork = true
    try {
      if (noted.get() !== undefined) {
        for (const _ of steps()) {
          await delay(BETWEEN, undefined, { ref: false })
          if (isClosed) return
        }
        // Deleted meanwhile: that comes next.
        if (due === undefined) unnote.run()
      }
      // Somebody reads or writes just now: the next try is soon enough, and nobody need wait for it.
      if (!database.checkpointIfFree()) later()
    } catch (error) {
      // A search that is no good is told by whoever searches, and made anew by a rebuild.
      if (error instanceof Unavailable) later()
    } finally {
      isAtWork = false
    }
  }

  const later = (): void => {
    if (!isClosed) due ??= setTimeout(() => void empty(), AFTER).unref()
  }

  const soon = (): void => {
    note.run()
    later()
  }

  // Somebody may have been killed before all was done.
  later()

  return {
    soon,
    close() {
      if (isClosed) return
      isClosed = true
      clearTimeout(due)
      try {
        if (noted.get() === undefined) return
        const end = Date.now() + AT_CLOSE
        for (const _ of steps()) if (Date.now() > end) return
        unnote.run()
      } catch {
        // A file that can't be used any more must still be closed; the note in it stays.
      }
    },
  }
}
