import type { StatementCheck, StatementFile } from '#services/trading/statements/statement-vocabulary.ts'
import type { ImportKind } from '../import-vocabulary.ts'
import type { ImportedRow } from '../statement-row-api.ts'

/** A row of a statement that is read, before it is known whose it is. */
export interface SourceRow {
  readonly row: ImportedRow
  /** Columns of a mapping name them. */
  readonly account?: string | undefined
  readonly server?: string | undefined
  /** An instant of the day, where a column of a mapping has times. */
  readonly dayOf?: string | undefined
}

/** A statement that is read: by a mapping, or as a file of a known format. */
export interface SourceStatement {
  readonly kind: ImportKind
  readonly sha256: string
  /** Null with a mapping. */
  readonly file: StatementFile | null
  /** The server of all rows, where it is known. */
  readonly server: string | null
  readonly rows: readonly SourceRow[]
  readonly checks: readonly StatementCheck[]
  readonly hints: readonly string[]
}
