import type { Sqlite, SqlValue } from '../sqlite/sqlite.ts'

const ROWS_A_STATEMENT = [64, 32, 16, 8, 4, 2, 1]

/**
 * Runs a statement over many rows at once: crossing into SQLite costs more than most rows do. Answers how many changed.
 *
 * @param values The rows' values, one row after the other.
 * @param width How many values a row has.
 * @param sql Makes the statement for a list of rows, such as `(?, ?), (?, ?)`.
 */
export function inRows(database: Sqlite, values: readonly SqlValue[], width: number, sql: (places: string) => string): number {
  const row = `(${Array.from({ length: width }, () => '?').join(', ')})`
  let changes = 0
  let done = 0
  for (const rows of ROWS_A_STATEMENT) {
    const size = rows * width
    if (values.length - done < size) continue
    const statement = database.statement(sql(Array.from({ length: rows }, () => row).join(', ')))
    for (; values.length - done >= size; done += size) changes += statement.run(...values.slice(done, done + size))
  }
  return changes
}
