import type {
  DateOrder,
  StatementAccount,
  StatementCheck,
  StatementFormatId,
  StatementRow,
} from '../statement-vocabulary.ts'
import type { Source } from './sources/source.ts'
import type { Decimal } from './values/decimal.ts'

/** An id that comes again within a login: of one trade told twice, a partial close, or another fill. */
export type Again = 'told' | 'steps' | 'fills' | null

/** A format of statements. A new one is a file in `formats/` and a line in `statement-formats.ts`. */
export interface StatementFormat {
  readonly id: StatementFormatId
  readonly again: Again
  /** Recognises a file by its content. Null for a file of another format. */
  recognise(source: Source): RecognisedStatement | null
}

/** A file as its format sees it, before its numbers and times can be read. */
export interface RecognisedStatement {
  /** `rows`: each time has its offset. `heading` is in minutes ahead of UTC. */
  readonly zone: 'asked' | 'UTC' | 'rows' | { readonly heading: number }
  readonly account: StatementAccount
  /** All numbers as they are written, or null where the format always has a decimal point. */
  readonly numbers: Iterable<string> | null
  /** All dates as they are written, or the order that the format always has. */
  readonly dates: (Iterable<string> & object) | 'year-first' | DateOrder
  /** Where it depends on the columns of the file. */
  readonly again?: Again
  read(values: Values): ReadStatement
}

/** Reads cells, once the decimal mark, the order of dates and the zone are known. Each throws {@link UnreadableCell}. */
export interface Values {
  /** The word names the cell in the reason: `"3O.50" is no amount`. `isTyped` is of a number in a sheet. */
  number(cell: string, isTyped: boolean, word: string): Decimal
  time(cell: string, isTyped: boolean): ReadTime
  /** A local time of the file's zone. */
  timeAt(local: number): ReadTime
}

export interface ReadTime {
  /** Since 1970. */
  readonly ms: number
  /** What the clock of the zone shows; null where the cell names its offset. */
  readonly local: number | null
  readonly hasTime: boolean
  readonly cell: string
}

export interface ReadStatement {
  readonly rows: readonly ReadRow[]
  readonly checks: readonly StatementCheck[]
  /** When the report was made. */
  readonly until: ReadTime | null
}

export interface ReadRow {
  readonly printed: StatementRow
  /** All cells, by which rows are equal. */
  readonly cells: readonly string[]
  readonly opened: ReadTime | null
  readonly closed: ReadTime | null
}
