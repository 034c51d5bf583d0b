import type { Sqlite, SqlValue } from '../sqlite/sqlite.ts'

const ROWS_A_STATEMENT = [64, 16, 4, 1]

/**
 * Runs a statement over many rows at once: crossing into SQLite costs more than most rows do. Answers how many changed.
 *
 * @param sql Makes the statement for a list of rows, such as `(?, ?), (?, ?)`.
 */
export function inRows(database: Sqlite, rows: readonly (readonly SqlValue[])[], sql: (places: string) => string): number {
  let changes = 0
  let done = 0
  for (const size of ROWS_A_STATEMENT) {
    while (rows.length - done >= size) {
      const chunk = rows.slice(done, done + size)
      const row = `(${chunk[0]?.map(() => '?').join(', ')})`
      changes += database.statement(sql(chunk.map(() => row).join(', '))).run(...chunk.flat())
      done += size
    }
  }
  return changes
}
