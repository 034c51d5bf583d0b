import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Sqlite, Statement } from '#infra/sqlite/sqlite.ts'
import { foreign, type SchemaObject } from '#infra/sqlite/sqlite-schema.ts'
import { checkDefinition, CREATED, parseDocument, readStored, splitPath } from './document-rules.ts'
import type { CollectionDefinition, Document } from './read-model-store.ts'

/**
 * A collection in SQLite: a table of documents as JSON, and a full-text index (FTS5) of what is searched. Beside each
 * document are its keys, the values that it is filtered and sorted by. Its number (`seq`) increases as documents are
 * first written.
 */
export type Collection = ReturnType<typeof collectionOf>

export type Collections = ReturnType<typeof createCollections>

/** Creates, caches and drops collections. */
export function createCollections(database: Sqlite) {
  database.exec(
    'CREATE TABLE IF NOT EXISTS collection_definitions (name TEXT PRIMARY KEY, definition TEXT NOT NULL) STRICT',
  )
  const select = database.statement('SELECT definition FROM collection_definitions WHERE name = ?')
  const insert = database.statement('INSERT INTO collection_definitions (name, definition) VALUES (?, ?)')
  const remove = database.statement('DELETE FROM collection_definitions WHERE name = ?')
  const indexes = database.statement(
    `SELECT count(*) AS count FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?`,
  )
  const known = new Map<string, Collection>()
  const indexCount = (name: string): number => Number(indexes.get(`documents:${name}`)?.['count'])

  const load = (name: string): StoredDefinition | undefined => {
    const row = select.get(name)
    return row && { name, ...readStored(() => storedDefinition.parse(JSON.parse(String(row['definition'])))) }
  }

  /** @param definition The collection as queries may use it, if it differs from the stored one. */
  const look = (name: string, definition?: CollectionDefinition): Collection => {
    const stored = load(name)
    if (!stored) throw new Error(`There is no collection ${name}`)
    const collection = collectionOf(definition ?? stored, stored)
    known.set(name, collection)
    return collection
  }

  return {
    /** Creates it, without indexes, unless it exists. */
    create(definition: CollectionDefinition): void {
      checkDefinition(definition)
      const { name, filters = [], selective = [], sorts = [], search = [] } = definition
      database.transaction(() => {
        if (load(name)) return
        const stored = { filters, selective, sorts, search }
        for (const statement of tableStatements({ name, ...stored })) database.exec(statement)
        insert.run(name, JSON.stringify(stored))
      })
      look(name, definition)
    },

    /** Returns whether any was missing. */
    async createIndexes(name: string): Promise<boolean> {
      const stored = load(name)
      const before = indexCount(name)
      for (const statement of stored ? indexStatements(stored) : []) {
        database.exec(statement)
        await nextTurn()
      }
      return indexCount(name) > before
    },

    /** @throws {Error} when it does not exist. */
    get: (name: string): Collection => known.get(name) ?? look(name),

    async drop(name: string): Promise<void> {
      known.delete(name)
      database.transaction(() => {
        if (remove.run(name) === 0) return
        for (const trigger of triggers) database.exec(`DROP TRIGGER IF EXISTS ${quoted(`${trigger}:${name}`)}`)
        markDropped(database, [`documents:${name}`, `texts:${name}`])
      })
      await removeDroppedTables(database)
    },
  }
}

type StoredDefinition = Required<CollectionDefinition>

const column = (path: string): string => quoted(`$.${path}`)
const keyPathsOf = ({ filters, sorts }: StoredDefinition): string[] => [...new Set([...filters, ...sorts])]

function collectionOf(definition: CollectionDefinition, stored: StoredDefinition) {
  const { name, search } = stored
  const [documents, paths] = [quoted(`documents:${name}`), keyPathsOf(stored)]
  const columns = ['position', 'document', 'search', 'living', ...paths.map(column)]
  const values = ['?1', '?2', '?3', '?2 IS NOT NULL', ...paths.map((path) => keyAt(path, '?2'))]
  return {
    /** What queries may ask for. */
    definition,
    /** The paths of the texts that are stored to be searched in. */
    search,
    /** The tables' names, quoted; no texts where there is nothing to search in. */
    documents,
    texts: search.length > 0 ? quoted(`texts:${name}`) : undefined,
    /**
     * Statements of a position, a document as JSON or null, its text to search in, and its id; then the expected
     * position.
     */
    insert: `INSERT INTO ${documents} (${columns.join(', ')}, id) VALUES (${values.join(', ')}, ?4) ON CONFLICT (id) DO NOTHING`,
    update: `UPDATE ${documents} SET ${columns.map((each, n) => `${each} = ${values[n]}`).join(', ')} WHERE id = ?4 AND position = ?5`,
    /**
     * The key at a path of a document in `documents AS d`. One that was not declared at first is read from the JSON,
     * without an index.
     */
    key: (path: string): string => (paths.includes(path) ? `d.${column(path)}` : `(${keyAt(path, 'd.document')})`),
    /** Whether the keys in a row of `documents AS d` are those of its document. Anyone may have written both. */
    hasOwnKeys: `CASE WHEN d.document IS NULL OR json_valid(d.document) THEN ${[
      'd.living IS (d.document IS NOT NULL)',
      ...paths.map((path) => `d.${column(path)} IS (${keyAt(path, 'd.document')})`),
    ].join(' AND ')} ELSE 0 END`,
    parse: createParser(),
  }
}

/** Documents of a collection that are kept parsed. */
const MAX_PARSED = 1_000
/** How long a parsed document is kept, in ms: a deleted person's leaves memory too. */
const MAX_PARSED_AGE = 10 * 60_000

/**
 * The document with an id and text: the same object while its text is the same, so it must not be changed.
 *
 * @throws {Unavailable}
 */
function createParser() {
  const known = new LRUCache<string, { readonly text: string; readonly document: Document }>({
    max: MAX_PARSED,
    ttl: MAX_PARSED_AGE,
    ttlAutopurge: true,
  })
  return (id: string, text: string): Document => {
    const last = known.get(id)
    if (last?.text === text) return last.document
    const document = parseDocument(text)
    known.set(id, { text, document })
    return document
  }
}

const triggers = ['text inserted', 'text changed'] as const

function tableStatements(definition: StoredDefinition): string[] {
  const { name, search } = definition
  const [documents, texts] = [quoted(`documents:${name}`), quoted(`texts:${name}`)]
  const trigger = (which: (typeof triggers)[number]): string => `CREATE TRIGGER ${quoted(`${which}:${name}`)} AFTER`
  const insertText = `INSERT INTO ${texts} (rowid, text) SELECT new.seq, new.search WHERE new.search IS NOT NULL`
  // FTS5 keeps no copy of a text here: to delete a row it must be given the text that was inserted.
  const deleteText = `INSERT INTO ${texts} (${texts}, rowid, text) SELECT 'delete', old.seq, old.search WHERE old.search IS NOT NULL`
  const textStatements = [
    `CREATE VIRTUAL TABLE ${texts} USING fts5(text, content = '', columnsize = 0, tokenize = "trigram case_sensitive 1")`,
    // Each commit adds a segment. With the default of 4 each text is written again twice as often.
    `INSERT INTO ${texts} (${texts}, rank) VALUES ('automerge', 8)`,
    `${trigger('text inserted')} INSERT ON ${documents} BEGIN ${insertText}; END`,
    `${trigger('text changed')} UPDATE OF search ON ${documents} WHEN old.search IS NOT new.search BEGIN ${deleteText}; ${insertText}; END`,
  ]
  const keys = keyPathsOf(definition).map((path) => `${column(path)} ANY NOT NULL`)
  return [
    `CREATE TABLE ${documents} (${[
      'seq INTEGER PRIMARY KEY',
      'id TEXT NOT NULL UNIQUE',
      'position TEXT NOT NULL',
      // 0 for a tombstone.
      'living INTEGER NOT NULL',
      ...keys,
      'search TEXT',
      'document TEXT',
    ].join(', ')}) STRICT`,
    ...(search.length > 0 ? textStatements : []),
  ]
}

/** The triggers and views of a file that no collection in it has, in words. Tables come and go. */
export function foreignTriggers(
  objects: readonly SchemaObject[],
  { statement }: { readonly statement: (sql: string) => Statement },
): string[] {
  const active = objects.filter(({ type }) => type === 'trigger' || type === 'view')
  if (active.length === 0) return []
  const rows = statement('SELECT name, definition FROM collection_definitions').all()
  const ours = new Set(
    rows.flatMap(({ name, definition }) =>
      tableStatements({
        name: String(name),
        ...readStored(() => storedDefinition.parse(JSON.parse(String(definition)))),
      }),
    ),
  )
  return active.filter(({ sql }) => sql === null || !ours.has(sql)).map(foreign)
}

/**
 * An index for the order of creation, and one for each key. All filters are in each, so that most rows are never read;
 * but for selective ones, whose own index finds few rows.
 */
function indexStatements(definition: StoredDefinition): string[] {
  const { name, filters, selective } = definition
  return [undefined, ...keyPathsOf(definition)].map((path) => {
    const covered = filters.filter((filter) => filter !== path && !selective.includes(filter)).map(column)
    const columns = ['living', ...(path === undefined ? [] : [column(path)]), 'seq', ...covered]
    return `CREATE INDEX IF NOT EXISTS ${quoted(`index:${name}:${path ?? CREATED}`)} ON ${quoted(`documents:${name}`)} (${columns.join(', ')})`
  })
}

/**
 * Values as keys, so that they compare as the port says: `null` comes first and is a value like any other, which makes
 * comparisons of rows simple: it is -Infinity, which no JSON is. A boolean is a blob: it equals neither number nor
 * text.
 */
const NULL_KEY = '-9e999'
const keyWhere = (type: string, value: string): string =>
  `CASE ${type} WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' WHEN 'null' THEN ${NULL_KEY} WHEN 'object' THEN ${NULL_KEY} WHEN 'array' THEN ${NULL_KEY} ELSE ${value} END`

/** The key at a path of a document, which is given in SQL. */
function keyAt(path: string, document: string): string {
  const json = `'$.${splitPath(path).map(quoted).join('.')}'`
  return keyWhere(`json_type(${document}, ${json})`, `ifnull(${document} ->> ${json}, ${NULL_KEY})`)
}

/**
 * Selects the keys of a list of values, which is bound as JSON: so numbers and texts are read as those of documents
 * are.
 */
export const SELECT_KEYS = `SELECT ${keyWhere('type', 'value')} FROM json_each(?)`

/** A name in SQL. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

const storedDefinition = z.object({
  filters: z.array(z.string()),
  selective: z.array(z.string()).default([]),
  sorts: z.array(z.string()),
  search: z.array(z.string()),
})

/** The reserved prefix of dropped tables. */
const DROPPED = 'dropped:'
/** Rows deleted in one turn of the event loop. */
const ROWS_PER_TURN = 500

/** Takes tables out of use at once; to be called in a transaction. Missing ones are fine. */
export function markDropped(database: Sqlite, tables: readonly string[]): void {
  const isThere = database.statement(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`)
  for (const table of tables) {
    if (isThere.get(table)) database.exec(`ALTER TABLE ${quoted(table)} RENAME TO ${quoted(DROPPED + randomUUID())}`)
  }
}

/**
 * Deletes dropped tables a little at a time: SQLite overwrites deleted data, which at once would block
 * the process for many seconds. After a kill the next start or drop continues.
 */
export async function removeDroppedTables(database: Sqlite): Promise<void> {
  const dropped = database.statement(`SELECT name, sql LIKE 'CREATE VIRTUAL TABLE%' AS is_fts FROM sqlite_schema
    WHERE type = 'table' AND name LIKE '${DROPPED}%' AND name NOT LIKE '${DROPPED}%\\_%' ESCAPE '\\'`)
  const indexes = database.statement(
    `SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL`,
  )
  const isThere = database.statement(`SELECT 1 FROM sqlite_schema WHERE name = ?`)
  for (const { name, is_fts: isFts } of dropped.all()) {
    const table = String(name)
    for (const { name: index } of indexes.all(table)) {
      database.exec(`DROP INDEX IF EXISTS ${quoted(String(index))}`)
      await nextTurn()
    }
    // Nearly all of a full-text index is in this table. Its first rows are needed to drop the rest.
    const [bulk, first] = isFts === 1 ? [`${table}_data`, 100] : [table, Number.MIN_SAFE_INTEGER]
    const deleteSome = `DELETE FROM ${quoted(bulk)} WHERE rowid IN (SELECT rowid FROM ${quoted(bulk)} WHERE rowid > ${first} LIMIT ${ROWS_PER_TURN})`
    // Another process may be doing the same.
    while (database.transaction(() => isThere.get(bulk) !== undefined && database.statement(deleteSome).run() > 0))
      await nextTurn()
    database.exec(`DROP TABLE IF EXISTS ${quoted(table)}`)
  }
}
