import type { Encoding } from '../../statement-vocabulary.ts'
import { LargeStatement, unreadableFile } from '../unreadable-statement.ts'

/** A file as rows of cells, whatever it was: what formats are recognised by, and read from. */
export interface Source {
  readonly kind: 'csv' | 'html' | 'xlsx'
  /** Null for a workbook. */
  readonly encoding: Encoding | null
  /** The rows with cells, in the order of the file; empty ones are left out. */
  readonly rows: readonly SourceRow[]
  /** Of an HTML document. */
  readonly title: string | null
  /** Whether the document comes to its end, with all its cells. A text has no end that it could miss. */
  readonly isClosed: boolean
  /** Whether the days of a workbook are counted from 1904, not 1900. */
  readonly hasDatesFrom1904?: boolean
}

export interface SourceRow {
  /** The line in which the row begins, or the row of the sheet. */
  readonly line: number
  /** The text of each cell, not trimmed. A number of a sheet is a decimal text with a point. */
  readonly cells: readonly string[]
  /** The cells of a sheet that are numbers or formulas, by their index. */
  readonly types?: ReadonlyMap<number, 'number' | 'formula'>
  /** The columns over which each cell goes, where one goes over several. */
  readonly spans?: readonly number[]
}

/** Files that pass these limits only cost time and memory. */
export const MOST_COLUMNS = 256
const MOST_ROWS = 500_000
const MOST_CELLS = 5_000_000

/** Counts rows, and the cells of each as they come. @throws {UnreadableStatement} {@link LargeStatement} */
export function createRowLimit(): { addRow(): void; addCells(line: number, before: number, after: number): void } {
  let [rows, cells] = [0, 0]
  return {
    addRow: () => {
      rows += 1
      if (rows > MOST_ROWS) throw new LargeStatement()
    },
    addCells: (line, before, after) => {
      if (after > MOST_COLUMNS) throw unreadableFile(`Line ${line}: the row has more than ${MOST_COLUMNS} cells`)
      cells += after - before
      if (cells > MOST_CELLS) throw new LargeStatement()
    },
  }
}

/** The cells of a row by the columns where they stand. */
export function cellsByColumn({ cells, spans }: SourceRow): readonly string[] {
  return spans ? cells.flatMap((cell, index) => [cell, ...Array<string>((spans[index] ?? 1) - 1).fill('')]) : cells
}
