import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { Unavailable } from '../failures.ts'
import type { Row, Sqlite, SqlValue } from '../sqlite/sqlite.ts'
import { indexText, searchText } from './sqlite-search.ts'
import type { CollectionDefinition, Document, Json } from './view-store.ts'

/**
 * How a collection lies in SQLite: a table of its documents with a column for each indexed path, so that a change of
 * the document touches only the indexes of values that did change.
 *
 * A document's number (`seq`) counts up as documents are made. A tombstone has its number negated: indexes are over
 * positive numbers, so it drops out of all of them.
 */
export interface Collection {
  readonly name: string
  /** Tells this table from one of the same name before or after it. */
  readonly stamp: string
  readonly table: string
  /** Columns of values, in the order of {@link Keys.values}. */
  readonly columns: readonly string[]
  readonly indexes: readonly Index[]
  /** The FTS5 table; its rows have the documents' numbers negated, so that its natural order is newest first. */
  readonly search: string | undefined
  /** False while indexes are missing. */
  readonly indexed: boolean
  /** While indexes are missing: documents up to this number are in {@link search} already. */
  readonly searched: number
  /** The column of an indexed path, else what SQLite makes of it in the document. */
  valueOf(path: string): string
  isIndexed(path: string): boolean
  keysOf(document: Document): Keys
}

export interface Index {
  readonly name: string
  readonly paths: readonly string[]
}

/** What the indexes keep of a document. */
export interface Keys {
  readonly values: readonly SqlValue[]
  /** The texts to search in. */
  readonly texts: readonly (string | null)[]
}

/** What makes a document, and everything that is asked of the catalogue. */
export interface Collections {
  open(definition: CollectionDefinition, loading: boolean): Promise<void>
  /** As it was last seen. @throws {Error} when it was never opened. */
  get(name: string): Collection
  /** As it is now: to be called within the transaction that counts on it. */
  refreshed(name: string): Collection
  drop(name: string): Promise<void>
}

/** 'created' stands for a document's number. */
export const CREATED = 'created'
/** Words that no statement holds: a living document's number is positive, and every query has to say so for an index to serve. */
export const LIVING = 'seq > 0'

/** Rows taken in one go by what has much to do: other work comes between. */
const ROWS_A_TURN = 500

/** Opens the catalogue of the collections in a file. */
export function openCollections(database: Sqlite): Collections {
  database.exec(`
    CREATE TABLE IF NOT EXISTS collections (
      name       TEXT PRIMARY KEY,
      definition TEXT NOT NULL,
      stamp      TEXT NOT NULL,
      indexed    INTEGER NOT NULL,
      searched   INTEGER NOT NULL
    ) STRICT`)
  const select = database.statement('SELECT definition, stamp, indexed, searched FROM collections WHERE name = ?')
  const insert = database.statement(`
    INSERT INTO collections (name, definition, stamp, indexed, searched) VALUES (?, ?, ?, 0, 0)
    ON CONFLICT (name) DO UPDATE SET definition = excluded.definition, stamp = excluded.stamp, indexed = 0, searched = 0`)
  const setSearched = database.statement('UPDATE collections SET searched = ? WHERE name = ?')
  const setIndexed = database.statement('UPDATE collections SET indexed = 1 WHERE name = ?')
  const remove = database.statement('DELETE FROM collections WHERE name = ?')
  const seen = new Map<string, Collection>()

  const look = (name: string): Collection | undefined => {
    const row = select.get(name)
    const known = seen.get(name)
    const state = row && { stamp: String(row['stamp']), indexed: row['indexed'] === 1, searched: Number(row['searched']) }
    if (!row || !state) seen.delete(name)
    else if (known?.stamp !== state.stamp) seen.set(name, { ...collectionOf(name, String(row['definition'])), ...state })
    else if (known.indexed !== state.indexed || known.searched !== state.searched) seen.set(name, { ...known, ...state })
    return seen.get(name)
  }

  const refreshed = (name: string): Collection => {
    const collection = look(name)
    if (!collection) throw new Error(`There is no collection ${name}`)
    return collection
  }

  const make = (name: string, definition: string): Collection => {
    insert.run(name, definition, randomUUID())
    const collection = refreshed(name)
    const columns = collection.columns.map((column) => `, ${column} ANY`).join('')
    // What is read without the document stands before it: a document may lie across many pages.
    database.exec(`CREATE TABLE ${collection.table} (
      seq      INTEGER PRIMARY KEY,
      id       TEXT NOT NULL UNIQUE,
      position TEXT NOT NULL${columns},
      search   TEXT NOT NULL,
      document TEXT
    ) STRICT`)
    if (collection.search) {
      // Pages of FTS5 are read whole: small ones cost less where a query looks at the newest few of very many.
      database.exec(`
        CREATE VIRTUAL TABLE ${collection.search}
          USING fts5(text, content = '', columnsize = 0, detail = none, tokenize = "trigram case_sensitive 1");
        INSERT INTO ${collection.search} (${collection.search}, rank) VALUES ('pgsz', 1000)`)
    }
    return collection
  }

  /** Another definition under the same name: documents stay, what is kept of them for indexes is made anew. */
  const remake = (old: Collection, definition: string): void => {
    for (const { name } of old.indexes) database.exec(`DROP INDEX IF EXISTS ${name}`)
    if (old.search) database.exec(`DROP TABLE ${old.search}`)
    const aside = quoted(`${old.name}:aside`)
    database.exec(`ALTER TABLE ${old.table} RENAME TO ${aside}`)
    const made = make(old.name, definition)
    const page = database.statement(`SELECT seq, id, position, document FROM ${aside} WHERE seq > ? ORDER BY seq LIMIT ${ROWS_A_TURN}`)
    const put = database.statement(`
      INSERT INTO ${made.table} (seq, id, position, document, search${list(made.columns)})
      VALUES (?, ?, ?, ?, ?${', ?'.repeat(made.columns.length)})`)
    for (let rows = page.all(Number.MIN_SAFE_INTEGER); rows.length > 0; rows = page.all(Number(rows.at(-1)?.['seq']))) {
      for (const { seq, id, position, document } of rows) {
        const keys = typeof document === 'string' ? made.keysOf(parseDocument(document)) : noKeys(made)
        const text = typeof document === 'string' ? document : null
        put.run(Number(seq), String(id), String(position), text, searchText(keys.texts), ...keys.values)
      }
    }
    database.exec(`DROP TABLE ${aside}`)
  }

  /** Takes the next documents into the search. False when there are no more. */
  const searchMore = (name: string): boolean => {
    const { table, search, searched } = refreshed(name)
    if (!search) return false
    const next = database.statement(`SELECT seq, search FROM ${table} WHERE seq > ? ORDER BY seq LIMIT ${ROWS_A_TURN}`).all(searched)
    addTexts(database, search, next.map(({ seq, search: text }) => ({ seq: Number(seq), text: String(text) })))
    setSearched.run(Number(next.at(-1)?.['seq'] ?? searched), name)
    return next.length > 0
  }

  const index = async (name: string): Promise<void> => {
    // What comes before the first turn costs nothing for a collection that is still empty: a new one is complete at once.
    for (const step of stepsOf(refreshed(name))) {
      let more = true
      while (more) {
        more = database.transaction(() => look(name)?.indexed === false && step())
        if (more) await turn()
      }
    }
  }

  const stepsOf = ({ name, table, indexes }: Collection): (() => boolean)[] => [
    ...indexes.map(({ name: indexName, paths }) => () => {
      const columns = paths.map((path) => refreshed(name).valueOf(path)).join(', ')
      database.exec(`CREATE INDEX IF NOT EXISTS ${indexName} ON ${table} (${columns}) WHERE ${LIVING}`)
      return false
    }),
    () => {
      if (searchMore(name)) return true
      setIndexed.run(name)
      look(name)
      return false
    },
  ]

  return {
    refreshed,
    get: (name) => {
      const known = seen.get(name)
      return known?.indexed ? known : refreshed(name)
    },

    async open(definition, loading) {
      const text = definitionText(definition)
      const collection = database.transaction(() => {
        const row = select.get(definition.name)
        if (!row) make(definition.name, text)
        else if (row['definition'] !== text) remake(refreshed(definition.name), text)
        return refreshed(definition.name)
      })
      if (!loading && !collection.indexed) await index(definition.name)
    },

    async drop(name) {
      database.transaction(() => {
        const collection = look(name)
        if (!collection) return
        remove.run(name)
        seen.delete(name)
        // Out of everybody's sight at once; a name that was taken apart only in part is found again by the next drop.
        const parts = quoted(`dropped:${collection.stamp}`)
        database.exec(`ALTER TABLE ${collection.table} RENAME TO ${parts}`)
        if (collection.search) database.exec(`ALTER TABLE ${collection.search} RENAME TO ${quoted(`dropped:${collection.stamp}:search`)}`)
      })
      await takeApart(database)
    },
  }
}

/** Takes documents into the search. */
export function addTexts(database: Sqlite, search: string, texts: readonly { readonly seq: number; readonly text: string }[]): void {
  const rows = inSearchOrder(texts).map(({ seq, text }) => [-seq, indexText(text)])
  inRows(database, rows, (places) => `INSERT INTO ${search} (rowid, text) VALUES ${places}`)
}

/** Takes documents out of the search, given the texts they were taken in with. */
export function removeTexts(database: Sqlite, search: string, texts: readonly { readonly seq: number; readonly text: string }[]): void {
  const rows = inSearchOrder(texts).map(({ seq, text }) => ['delete', -seq, indexText(text)])
  inRows(database, rows, (places) => `INSERT INTO ${search} (${search}, rowid, text) VALUES ${places}`)
}

/** FTS5 writes out what it has gathered whenever a row's number is below the last one's. */
function inSearchOrder<Text extends { readonly seq: number; readonly text: string }>(texts: readonly Text[]): Text[] {
  return texts.filter(({ text }) => text !== '').sort((a, b) => b.seq - a.seq)
}

const ROWS_A_STATEMENT = [64, 16, 4, 1]

/** Runs a statement over many rows at once: crossing into SQLite costs more than most rows. Answers how many rows changed. */
export function inRows(database: Sqlite, rows: readonly (readonly SqlValue[])[], sql: (places: string) => string): number {
  let changes = 0
  let done = 0
  for (const size of ROWS_A_STATEMENT) {
    while (rows.length - done >= size) {
      const chunk = rows.slice(done, done + size)
      const places = `(${'?, '.repeat((chunk[0]?.length ?? 1) - 1)}?)`
      changes += database.statement(sql(Array.from({ length: size }, () => places).join(', '))).run(...chunk.flat())
      done += size
    }
  }
  return changes
}

/** The document in a stored text. @throws {Unavailable} when it is none: the file is damaged. */
export function parseDocument(text: string): Document {
  try {
    const value: unknown = JSON.parse(text)
    if (isDocument(value)) return value
    throw new TypeError('A stored document is no object')
  } catch (error) {
    throw new Unavailable('view store', { cause: error })
  }
}

function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a path leads to in a document, null for what can't be compared. */
export function scalarAt(document: Document, path: readonly string[]): string | number | boolean | null {
  let value: Json | undefined = document
  for (const field of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, field)) return null
    value = value[field]
  }
  return typeof value === 'object' ? null : (value ?? null)
}

const FALSE = Uint8Array.of(0)
const TRUE = Uint8Array.of(1)

/** A value as SQLite stores it. A boolean is a blob: neither number nor text equals it, and it sorts after both. */
export function sqlValue(value: string | number | boolean | null): SqlValue {
  if (typeof value === 'boolean') return value ? TRUE : FALSE
  // Texts with a NUL are not taken.
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\u0001') : value
  return value === null || Number.isFinite(value) ? value : null
}

/** The keys of a tombstone. */
export function noKeys({ columns }: Pick<Collection, 'columns'>): Keys {
  return { values: columns.map(() => null), texts: [] }
}

/** A name or a path in SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A path as it is split, checked since it becomes part of statements. @throws {TypeError} */
export function splitPath(path: string): string[] {
  if (!/^\w[\w-]*(\.\w[\w-]*)*$/.test(path)) throw new TypeError(`Not a path to a field: ${path}`)
  return path.split('.')
}

function definitionText({ name, indexes, search = [] }: CollectionDefinition): string {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new TypeError(`Not a name for a collection: ${name}`)
  for (const path of [...indexes.flatMap((index) => Object.keys(index)), ...search]) splitPath(path)
  return JSON.stringify({ indexes: indexes.map((index) => Object.keys(index)), search })
}

function collectionOf(name: string, definition: string): Omit<Collection, 'stamp' | 'indexed' | 'searched'> {
  const { indexes: listed, search } = parseDefinition(definition)
  // SQLite ends every index with the row's number, which is the order in which documents were made; and it walks both ways.
  const lists = listed.map((paths) => (paths.includes(CREATED) ? paths.slice(0, paths.indexOf(CREATED)) : paths))
  const distinct = new Map(lists.filter((paths) => paths.length > 0).map((paths) => [paths.join(','), paths]))
  const paths = [...new Set([...distinct.values()].flat())]
  const columns = paths.map((_, n) => `value_${n}`)
  const splitPaths = paths.map(splitPath)
  const splitTexts = search.map(splitPath)
  return {
    name,
    table: quoted(`${name}:documents`),
    columns,
    indexes: [...distinct].map(([key, indexed]) => ({ name: quoted(`${name}:${key}`), paths: indexed })),
    search: search.length > 0 ? quoted(`${name}:search`) : undefined,
    valueOf: (path) => columns[paths.indexOf(path)] ?? valueInDocument(path),
    isIndexed: (path) => path === CREATED || paths.includes(path),
    keysOf: (document) => ({
      values: splitPaths.map((path) => sqlValue(scalarAt(document, path))),
      texts: splitTexts.map((path) => textAt(document, path)),
    }),
  }
}

function textAt(document: Document, path: readonly string[]): string | null {
  const value = scalarAt(document, path)
  return typeof value === 'string' ? value : null
}

/** The same values as {@link sqlValue} makes of them. */
function valueInDocument(path: string): string {
  const place = `'$.${splitPath(path).map(quoted).join('.')}'`
  const value = `json_extract(document, ${place})`
  return `CASE json_type(document, ${place}) WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' WHEN 'object' THEN NULL WHEN 'array' THEN NULL ELSE ${value} END`
}

function parseDefinition(text: string): { indexes: string[][]; search: string[] } {
  const value: unknown = JSON.parse(text)
  if (typeof value === 'object' && value !== null && 'indexes' in value && 'search' in value) {
    const { indexes, search } = value
    if (Array.isArray(indexes) && indexes.every(isTexts) && isTexts(search)) return { indexes, search }
  }
  throw new Unavailable('view store', { cause: new TypeError('The catalogue of collections is damaged') })
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function list(columns: readonly string[]): string {
  return columns.map((column) => `, ${column}`).join('')
}

/**
 * Takes the tables of dropped collections apart, a little at a time: SQLite overwrites all that they held, which in
 * one go would hold up everything else for many seconds.
 */
async function takeApart(database: Sqlite): Promise<void> {
  const names = (like: string): string[] =>
    database.statement(`SELECT name FROM sqlite_schema WHERE ${like}`).all().map(({ name }: Row) => quoted(String(name)))
  const step = async (work: () => boolean): Promise<void> => {
    while (database.transaction(work)) await turn()
  }
  const exists = (table: string): boolean => names(`type = 'table' AND name LIKE 'dropped:%'`).includes(table)

  const dropped = names(`type = 'table' AND name LIKE 'dropped:%' AND name NOT LIKE 'dropped:%:search_%'`)
  for (const table of dropped) {
    for (const index of names(`type = 'index' AND tbl_name = '${table.slice(1, -1)}' AND sql IS NOT NULL`)) {
      await step(() => {
        database.exec(`DROP INDEX IF EXISTS ${index}`)
        return false
      })
      await turn()
    }
    const isSearch = table.endsWith(':search"')
    // Most of an FTS5 table is in this one of its parts.
    const bulk = isSearch ? `${table.slice(0, -1)}_data"` : table
    await step(() => {
      if (!exists(bulk)) return false
      return database.statement(`DELETE FROM ${bulk} WHERE rowid IN (SELECT rowid FROM ${bulk} LIMIT ${ROWS_A_TURN})`).run() > 0
    })
    await step(() => {
      database.exec(`DROP TABLE IF EXISTS ${table}`)
      return false
    })
  }
}
