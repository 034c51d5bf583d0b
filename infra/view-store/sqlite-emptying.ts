import type { Sqlite } from '../sqlite/sqlite.ts'

/** Sees to it that what was deleted is gone from the disk too. */
export interface Emptying {
  /** Something was deleted: within about a second no file holds it any more. */
  soon(): void
  close(): void
}

/** Several deletions share what this costs, in ms. */
const AFTER = 1_000

/**
 * SQLite overwrites what is deleted, but at first only in the log beside the file: the log still has what was written
 * before, and so has the file. Emptying the log writes all of it into its place.
 */
export function openEmptying(database: Sqlite): Emptying {
  let due: NodeJS.Timeout | undefined

  const soon = (): void => {
    due ??= setTimeout(empty, AFTER).unref()
  }

  const empty = (): void => {
    due = undefined
    // Somebody reads or writes just now: the next try is soon enough, and nobody need wait for it.
    if (!database.checkpointIfFree()) soon()
  }

  return {
    soon,
    close() {
      clearTimeout(due)
    },
  }
}
