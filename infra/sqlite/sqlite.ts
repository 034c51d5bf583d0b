import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Libsql from 'libsql'
import { Unavailable } from '../failures.ts'

/** What SQLite takes. Booleans are left out on purpose: binding one aborts the process. */
export type SqlValue = string | number | bigint | Uint8Array | null

/** What SQLite gives: blobs come as ArrayBuffer. The row of a `get` also carries a `_metadata` of libsql's: name the columns, never spread. */
export type Row = Readonly<Record<string, string | number | bigint | ArrayBuffer | null>>

/** A prepared statement with positional parameters. Row shapes are the caller's to check. */
export interface Statement {
  run(...values: SqlValue[]): number
  get(...values: SqlValue[]): Row | undefined
  all(...values: SqlValue[]): Row[]
}

/** One SQLite file through libsql, whose traps end here: they are listed where each is avoided. */
export interface Sqlite {
  readonly path: string
  /** Prepares a statement once a text and keeps it. */
  statement(sql: string): Statement
  exec(sql: string): void
  /** Runs `work` in one immediate write transaction, alone: a call inside another simply joins it. */
  transaction<T>(work: () => T): T
  close(): void
}

export interface SqliteOptions {
  /** The part's name for an operator, as in {@link Unavailable}. */
  readonly part: string
  /** 'full' survives power loss at every commit; 'normal' may lose the last ones then, but never after a kill. */
  readonly durability: 'full' | 'normal'
  /** Overwrite what is deleted with zeros. */
  readonly secureDelete?: boolean
}

/**
 * Opens (or makes) a SQLite file in WAL mode. Errors of the disk or a lock that is held too long are thrown as
 * {@link Unavailable}; mistakes in SQL stay errors.
 */
export function openSqlite(path: string, options: SqliteOptions): Sqlite {
  const { part } = options
  const database = guarded(part, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const opened = new Libsql(path)
    // The default busy timeout is 0: two processes on one file would fail at once instead of waiting.
    opened.exec('PRAGMA busy_timeout = 5000')
    opened.exec('PRAGMA journal_mode = WAL')
    opened.exec(`PRAGMA synchronous = ${options.durability === 'full' ? 'FULL' : 'NORMAL'}`)
    if (options.secureDelete) opened.exec('PRAGMA secure_delete = ON')
    return opened
  })
  const statements = new Map<string, Statement>()
  let closed = false
  let inTransaction = false

  // Statements still run after close(): refuse here.
  const use = <T>(work: () => T): T => {
    if (closed) throw new Unavailable(part, { cause: new Error(`${path} is closed`) })
    return guarded(part, work)
  }

  return {
    path,
    statement(sql) {
      const known = statements.get(sql)
      if (known) return known
      const prepared = use(() => database.prepare<SqlValue[]>(sql))
      const made: Statement = {
        run: (...values) => use(() => prepared.run(...values).changes),
        get: (...values) => use(() => asRow(prepared.get(...values))),
        all: (...values) => use(() => prepared.all(...values).map(toRow)),
      }
      statements.set(sql, made)
      return made
    },
    exec: (sql) => use(() => void database.exec(sql)),
    // libsql's own transaction() throws when nested.
    transaction(work) {
      if (inTransaction) return work()
      return use(() => {
        database.exec('BEGIN IMMEDIATE')
        inTransaction = true
        try {
          const result = work()
          database.exec('COMMIT')
          return result
        } catch (error) {
          if (database.inTransaction) database.exec('ROLLBACK')
          throw error
        } finally {
          inTransaction = false
        }
      })
    },
    close() {
      if (closed) return
      closed = true
      database.close()
    },
  }
}

function guarded<T>(part: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (isDiskTrouble(error)) throw new Unavailable(part, { cause: error })
    throw error
  }
}

/** Full, unwritable, torn or locked too long: nothing the caller did wrong. */
function isDiskTrouble(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  return /^SQLITE_(BUSY|LOCKED|READONLY|IOERR|CORRUPT|FULL|CANTOPEN|NOTADB|PROTOCOL|NOLFS)|^E[A-Z]+$/.test(error.code)
}

function toRow(value: unknown): Row {
  const row = asRow(value)
  if (!row) throw new TypeError('SQLite gave no row')
  return row
}

function asRow(value: unknown): Row | undefined {
  return isRow(value) ? value : undefined
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null
}
