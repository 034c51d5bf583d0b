import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Libsql from 'libsql'
import { ForeignSchema, Unavailable } from '#infra/failures.ts'
import { type SchemaObject, foreignObjects, schemaDifferences, SELECT_SCHEMA, toObject } from './sqlite-schema.ts'

/** A value to bind. No booleans: binding one aborts the process. */
export type SqlValue = string | number | bigint | Uint8Array | null

/** A row. Blobs come as ArrayBuffer. */
export type Row = Readonly<Record<string, string | number | bigint | ArrayBuffer | null>>

/**
 * A prepared statement with positional parameters (`?`). Callers check the shapes of rows.
 *
 * @throws {TypeError} for too few or too many values, and for a text with a NUL in it.
 */
export interface Statement {
  /** Returns how many rows changed. With a RETURNING clause that is 0: use `all`. */
  run(...values: SqlValue[]): number
  /** The first row, in half the time of `all`. */
  get(...values: SqlValue[]): Row | undefined
  all(...values: SqlValue[]): Row[]
}

/** One SQLite file through libsql. Comments below name each pitfall of libsql where it is avoided. */
export type Sqlite = ReturnType<typeof openSqlite>

export interface SqliteOptions {
  /** The part's name for an operator, as in {@link Unavailable}. */
  readonly part: string
  /** With 'full', every commit survives power loss; with 'normal', recent ones may not. All survive a kill. */
  readonly durability: 'full' | 'normal'
  /** Creates all that the file has, where it is not there yet. With anything else in it, nothing is written. */
  readonly schema?: string
  /** The same for a file whose tables come and go: what in it is not ours, in words. */
  readonly foreignIn?: (
    objects: readonly SchemaObject[],
    database: { readonly statement: (sql: string) => Statement },
  ) => readonly string[]
  /** Overwrite what is deleted with zeros. */
  readonly secureDelete?: boolean
  /** How long to wait for another process's lock, in ms. The whole process waits. */
  readonly busyTimeout?: number
  /** How large the write-ahead log may grow before it is moved into the file, in bytes: 8 MB unless given. */
  readonly logLimit?: number
}

/** How often the size of the write-ahead log is looked at: after so many writes. */
const WRITES_PER_LOOK = 64
/** How long the move of the log waits for others, in ms. The whole process waits, and the next look tries again. */
const MOVE_TIMEOUT_MS = 50

/** "PfDk": marks the file as ours, and gives {@link Sqlite.ready} something harmless to write. */
const applicationId = 0x5066446b

/**
 * Opens (or creates, readable to this user only) a SQLite file in WAL mode. Disk errors and locks held too long are
 * thrown as {@link Unavailable}; mistakes in SQL stay errors.
 */
export function openSqlite(path: string, options: SqliteOptions) {
  const { part, busyTimeout = 5000, logLimit = 8_000_000 } = options
  const database = withUnavailable(part, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    makeFile(path)
    const opened = openFile(path, part)
    // The default busy timeout is 0: two processes on one file would fail at once instead of waiting.
    opened.exec(`PRAGMA busy_timeout = ${busyTimeout}`)
    switchToWal(opened, busyTimeout)
    opened.exec(synchronous(options.durability))
    if (options.secureDelete) opened.exec('PRAGMA secure_delete = ON')
    // SQLite would copy the log while others may write. Before 3.51.3 it could lose a commit of theirs then
    // (sqlite.org/wal.html, "The WAL-Reset Bug"); libsql has 3.45. `moveLargeLog` keeps writers out.
    opened.exec('PRAGMA wal_autocheckpoint = 0')
    return opened
  })
  const inode = inodeOf(path)
  const statements = new Map<string, Statement>()
  let closed = false
  let inTransaction = false
  let writes = 0

  // Statements still run after close(): refuse here.
  const use = <T>(work: () => T): T => {
    if (closed) throw new Unavailable(part, { cause: new Error(`${path} is closed`) })
    return withUnavailable(part, work)
  }

  /** For a transaction that may be less durable than the file. */
  const withDurability = <T>(durability: SqliteOptions['durability'], work: () => T): T =>
    use(() => {
      if (durability === options.durability) return work()
      database.exec(synchronous(durability))
      try {
        return work()
      } finally {
        database.exec(synchronous(options.durability))
      }
    })

  /** Prepares a statement, once for each text. */
  const statement = (sql: string): Statement => {
    const known = statements.get(sql)
    if (known) return known
    // All values are passed as one array: libsql takes a single null or blob for named parameters, and throws or
    // aborts.
    const prepare = (): Prepared => use(() => database.prepare<[readonly SqlValue[]]>(sql))
    const prepared = preparedAtLast(prepare)
    const parameters = countParameters(sql)
    let reading: Reading | undefined
    let readingOne: Reading | undefined
    const checkedStatement: Statement = {
      run(...values) {
        if (!inTransaction) assertOwnSchema()
        const { changes } = use(() => prepared.run(checked(values, parameters, sql)))
        if (!inTransaction) moveLargeLog()
        return changes
      },
      get(...values) {
        const known = checked(values, parameters, sql)
        // A statement of its own: after `all`, libsql's get reuses the values of that call.
        const { statement, toRow } = (readingOne ??= readingOf(prepare()))
        try {
          return use(() => {
            const row = statement.get(known)
            return row === undefined ? undefined : toRow(row)
          })
        } catch (error) {
          // libsql's get would repeat its error.
          readingOne = undefined
          throw error
        }
      },
      all(...values) {
        const known = checked(values, parameters, sql)
        const { statement, toRow } = (reading ??= readingOf(prepared))
        return use(() => statement.all(known).map(toRow))
      },
    }
    statements.set(sql, checkedStatement)
    return checkedStatement
  }

  /**
   * Moves all writes into the file itself and empties the write-ahead log.
   *
   * @throws {Unavailable} while a reader prevents it.
   */
  const checkpoint = (): void => {
    const outcome = statement('PRAGMA wal_checkpoint(TRUNCATE)').get()
    // SQLite reports a blocking reader in the row, not as an error.
    if (outcome?.['busy'] !== 0)
      throw new Unavailable(part, { cause: new Error(`${path} is being read: no checkpoint`) })
  }

  /**
   * The same without {@link SqliteOptions.busyTimeout}, which would block the whole process. Returns false while others
   * use the file for longer than `wait` ms, or it can't be written.
   */
  const checkpointIfFree = (wait = 0): boolean => {
    try {
      use(() => database.exec(`PRAGMA busy_timeout = ${wait}`))
      try {
        checkpoint()
      } finally {
        use(() => database.exec(`PRAGMA busy_timeout = ${busyTimeout}`))
      }
      return true
    } catch (error) {
      // The write-ahead log is safe and found at the next start.
      if (!(error instanceof Unavailable)) throw error
      return false
    }
  }

  /** To be called after each write. The log also grows while readers keep it: then a later write moves it. */
  const moveLargeLog = (): void => {
    if (++writes % WRITES_PER_LOOK !== 0) return
    const size = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
    if (size > logLimit) checkpointIfFree(MOVE_TIMEOUT_MS)
  }

  /** The version of the schema that was looked at last. */
  let seen: Row[string] | undefined
  /**
   * To be called before writes: triggers that someone else put into the file could swallow or change them. Looks at the
   * schema only where it has changed.
   *
   * @throws {Unavailable} because of {@link ForeignSchema}
   */
  const assertOwnSchema = (): void => {
    const { schema, foreignIn } = options
    if (schema === undefined && !foreignIn) return
    const version = statement('PRAGMA schema_version').get()?.['schema_version']
    if (version === seen) return
    const objects = statement(SELECT_SCHEMA).all().map(toObject)
    const found = schema === undefined ? foreignIn?.(objects, { statement }) : schemaDifferences(schema, objects)
    if (found && found.length > 0) throw new Unavailable(part, { cause: new ForeignSchema(path, found) })
    seen = version
  }

  /**
   * Runs `work` in one immediate write transaction; a nested call joins it: libsql's own transaction() throws then.
   *
   * @param durability Of this transaction, where less than the file's will do.
   */
  const transaction = <T>(work: () => T, durability = options.durability): T => {
    if (inTransaction) return work()
    const result = withDurability(durability, () => {
      database.exec('BEGIN IMMEDIATE')
      inTransaction = true
      try {
        assertOwnSchema()
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
    moveLargeLog()
    return result
  }

  let group: { readonly run: () => () => void; readonly reject: (error: unknown) => void }[] = []
  const commitGroup = (): void => {
    const all = group
    group = []
    try {
      const settled = transaction(() => all.map(({ run }) => run()))
      for (const resolve of settled) resolve()
    } catch (error) {
      // One that fails must not fail the others.
      for (const { run, reject } of all)
        try {
          if (all.length === 1) throw error
          transaction(run)()
        } catch (error) {
          reject(error)
        }
    }
  }

  /** Runs `work` in a transaction with others of this turn of the event loop: they are committed once. */
  const transactionTogether = <T>(work: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const run = () => {
        const result = work()
        return () => resolve(result)
      }
      if (group.push({ run, reject }) === 1) setImmediate(commitGroup)
    })

  const createSchema = (schema: string): void => {
    // Before anything is written, even by these statements. What is missing is made.
    const foreign = foreignObjects(schema, statement(SELECT_SCHEMA).all().map(toObject))
    if (foreign.length > 0) throw new Unavailable(part, { cause: new ForeignSchema(path, foreign) })
    try {
      use(() => database.exec(`BEGIN IMMEDIATE; ${schema}; COMMIT`))
    } catch (error) {
      if (database.inTransaction) database.exec('ROLLBACK')
      throw error
    }
    assertOwnSchema()
  }
  try {
    if (options.schema !== undefined) createSchema(options.schema)
  } catch (error) {
    database.close()
    throw error
  }

  return {
    path,
    statement,
    transaction,
    transactionTogether,
    assertOwnSchema,
    checkpoint,
    checkpointIfFree,
    exec: (sql: string): void => use(() => void database.exec(sql)),
    /**
     * Tests the file with a harmless durable write.
     *
     * @throws {Unavailable} when reads or writes would fail, or go to a file that is no longer there.
     */
    ready(): void {
      use(() => {
        // A file removed or replaced under an open handle accepts writes silently, and loses them.
        if (inodeOf(path) !== inode)
          throw new Unavailable(part, { cause: new Error(`${path} was removed or replaced`) })
        database.exec(`PRAGMA application_id = ${applicationId}`)
      })
      assertOwnSchema()
    },
    /** Leaves everything in the one file, unless another process has it open. */
    close(): void {
      if (closed) return
      try {
        // libsql releases the file only when its statements are garbage-collected, so SQLite's own last checkpoint may
        // never run.
        checkpointIfFree()
      } finally {
        closed = true
        statements.clear()
        database.close()
      }
    },
  }
}

/** Says when a commit waits for the disk. It cannot be changed in a transaction. */
function synchronous(durability: SqliteOptions['durability']): string {
  return `PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`
}

/** Touches only a missing file: closing any handle on an open SQLite file drops this process's locks on it. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

/** libsql's error for a file it cannot open has no code. */
function openFile(path: string, part: string): Libsql.Database {
  try {
    return new Libsql(path)
  } catch (error) {
    throw new Unavailable(part, { cause: error })
  }
}

/**
 * SQLite does not wait for a lock here, whatever the busy timeout is: processes that open a new file at the same moment
 * would fail. So this tries again for `busyTimeout` ms.
 */
function switchToWal(database: Libsql.Database, busyTimeout: number): void {
  const deadline = Date.now() + busyTimeout
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') || Date.now() >= deadline)
        throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

/**
 * Where one of several triggers writes to a full-text index, SQLite notices only at the second try that another
 * connection has changed the schema. At the first the table is missing.
 */
function preparedAtLast<Prepared>(prepare: () => Prepared): Prepared {
  try {
    return prepare()
  } catch (error) {
    if (error instanceof Unavailable) throw error
    return prepare()
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino
}

function withUnavailable<T>(part: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (isDiskTrouble(error)) throw new Unavailable(part, { cause: error })
    throw error
  }
}

/** Whether the file is full, unwritable, damaged or locked too long. */
function isDiskTrouble(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false
  return /^SQLITE_(BUSY|LOCKED|READONLY|IOERR|CORRUPT|FULL|CANTOPEN|NOTADB|PROTOCOL|NOLFS)|^E[A-Z]+$/.test(error.code)
}

/** The number of parameters of a statement: libsql binds NULL for missing values and drops extra ones. */
function countParameters(sql: string): number {
  const code = sql.replace(/'[^']*'|"[^"]*"|--.*$|\/\*[\s\S]*?\*\//gm, '')
  let highest = 0
  for (const [, number] of code.matchAll(/\?(\d*)/g)) highest = number ? Math.max(highest, Number(number)) : highest + 1
  return highest
}

function checked(values: readonly SqlValue[], parameters: number, sql: string): readonly SqlValue[] {
  if (values.length !== parameters)
    throw new TypeError(`${values.length} values for ${parameters} parameters in: ${sql}`)
  // libsql reads a text only up to its first NUL.
  for (const value of values) {
    if (typeof value === 'string' && value.includes('\0')) throw new TypeError('A text with a NUL would be truncated')
  }
  return values
}

type Prepared = Libsql.Statement<[readonly SqlValue[]]>
type Reading = ReturnType<typeof readingOf>

/** Has a statement make its rows as arrays, in half the time of objects, and names their values. */
function readingOf(prepared: Prepared) {
  const statement = prepared.raw()
  let names: readonly string[] = []
  return {
    statement,
    toRow(values: unknown): Row {
      if (!areValues(values)) throw new TypeError('SQLite gave no row')
      // A `*` is more columns once another process has added some.
      if (names.length !== values.length) names = statement.columns().map(({ name }) => name)
      const row: Record<string, Row[string]> = {}
      values.forEach((value, n) => {
        row[names[n] ?? ''] = value instanceof Uint8Array ? new Uint8Array(value).buffer : value
      })
      return row
    },
  }
}

function areValues(values: unknown): values is readonly SqlValue[] {
  return Array.isArray(values)
}
