import { columnNames } from '#services/trading/statements/statement-columns.ts'
import { csvSource, delimiterOf } from '#services/trading/statements/server/sources/csv-source.ts'
import { decodedText } from '#services/trading/statements/server/sources/decoded-text.ts'
import { UnreadableStatement } from '#services/trading/statements/server/unreadable-statement.ts'

/** The columns of a file that no format fits, for the person who says what they hold. */
export interface StatementColumns {
  readonly delimiter: string
  readonly headings: string[]
}

/** The headings are in one of so many rows: reports have lines above them, and spreadsheets `sep=;`. */
export const ROWS_TO_HEADINGS = 100

/** The headings of a text: the first of its widest rows. Null for what has no columns. */
export function headingsIn(bytes: Uint8Array): StatementColumns | null {
  try {
    const { text, encoding } = decodedText(bytes)
    const delimiter = delimiterOf(text)
    const rows = csvSource(text, encoding, delimiter).rows.slice(0, ROWS_TO_HEADINGS)
    const filled = rows.map(({ cells }) => cells.map((cell) => cell.trim()))
    const width = (cells: readonly string[]) => cells.filter((cell) => cell !== '').length
    const widest = Math.max(0, ...filled.map(width))
    const header = filled.find((cells) => width(cells) === widest)
    if (!header || widest < 2) return null
    return { delimiter, headings: [...new Set(columnNames(header))].filter((name) => name !== '') }
  } catch (error) {
    if (error instanceof UnreadableStatement) return null
    throw error
  }
}
