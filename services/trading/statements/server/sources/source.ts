import type { Encoding } from '../../statement-vocabulary.ts'

/** A file as rows of cells, whatever it was: what formats are recognised by, and read from. */
export interface Source {
  readonly kind: 'csv' | 'html' | 'xlsx'
  /** Null for a workbook. */
  readonly encoding: Encoding | null
  /** The rows with cells, in the order of the file; empty ones are left out. */
  readonly rows: readonly SourceRow[]
  /** Of an HTML document. */
  readonly title: string | null
  /** Whether the document comes to its end. A text has no end that it could miss. */
  readonly isClosed: boolean
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

/** The widest table that is read: wider ones only cost memory. */
export const MOST_COLUMNS = 256
