import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { Sqlite } from '../sqlite/sqlite.ts'
import { parseDocument } from './documents.ts'
import { type Collection, collectionOf, definitionText, LIVING, quoted } from './sqlite-collection.ts'
import { addTexts, searchText } from './sqlite-search.ts'
import type { CollectionDefinition } from './read-model-store.ts'

/** Which collections there are, and how they come and go. */
export interface Catalogue {
  open(definition: CollectionDefinition, loading: boolean): Promise<void>
  /** For reading. @throws {Error} when there is none of that name. */
  get(name: string): Collection
  /** As it is at this moment: to be asked within the transaction that counts on it. @throws {Error} */
  current(name: string): Collection
  drop(name: string): Promise<void>
}

/** Rows taken in one go by what has much to do: other work comes between. */
const ROWS_A_TURN = 500

export function openCatalogue(database: Sqlite): Catalogue {
  database.exec(`
    CREATE TABLE IF NOT EXISTS collections (
      name       TEXT PRIMARY KEY,
      definition TEXT NOT NULL,
      stamp      TEXT NOT NULL,
      indexed    INTEGER NOT NULL DEFAULT 0,
      searched   INTEGER NOT NULL DEFAULT 0
    ) STRICT`)
  const select = database.statement('SELECT definition, stamp, indexed, searched FROM collections WHERE name = ?')
  const insert = database.statement('INSERT INTO collections (name, definition, stamp) VALUES (?, ?, ?)')
  const remove = database.statement('DELETE FROM collections WHERE name = ?')
  const setSearched = database.statement('UPDATE collections SET searched = ? WHERE name = ?')
  const setIndexed = database.statement('UPDATE collections SET indexed = 1 WHERE name = ?')
  const seen = new Map<string, Collection>()

  const look = (name: string): Collection | undefined => {
    const row = select.get(name)
    if (!row) {
      seen.delete(name)
      return undefined
    }
    const stamp = String(row['stamp'])
    const indexed = row['indexed'] === 1
    const searched = Number(row['searched'])
    const known = seen.get(name)
    if (known?.stamp === stamp && known.indexed === indexed && known.searched === searched) return known
    const collection = { ...collectionOf(name, String(row['definition']), stamp), indexed, searched }
    seen.set(name, collection)
    return collection
  }

  const current = (name: string): Collection => {
    const collection = look(name)
    if (!collection) throw new Error(`There is no collection ${name}`)
    return collection
  }

  const make = (name: string, definition: string): Collection => {
    insert.run(name, definition, randomUUID())
    const collection = current(name)
    const { table, columns, search } = collection
    // What is read without the document stands before it: a document may lie across many pages.
    database.exec(`CREATE TABLE ${table} (
      seq      INTEGER PRIMARY KEY,
      id       TEXT NOT NULL UNIQUE,
      position TEXT NOT NULL,
      ${columns.map((column) => `${column} ANY,`).join(' ')}
      search   TEXT NOT NULL,
      document TEXT
    ) STRICT`)
    if (search) {
      database.exec(`CREATE VIRTUAL TABLE ${search}
        USING fts5(text, content = '', columnsize = 0, detail = none, tokenize = "trigram case_sensitive 1")`)
      // FTS5 reads its pages whole: small ones cost less where a query looks at the newest few of very many.
      database.exec(`INSERT INTO ${search} (${search}, rank) VALUES ('pgsz', 1000)`)
    }
    return collection
  }

  /** Another definition under the same name: documents stay, what is kept of them for indexes is made anew. */
  const remake = (old: Collection, definition: string): void => {
    const aside = quoted(`${old.name}:aside`)
    for (const { name } of old.indexes) database.exec(`DROP INDEX IF EXISTS ${name}`)
    if (old.search) database.exec(`DROP TABLE ${old.search}`)
    database.exec(`ALTER TABLE ${old.table} RENAME TO ${aside}`)
    remove.run(old.name)
    const made = make(old.name, definition)
    const page = database.statement(`SELECT seq, id, position, document FROM ${aside} WHERE seq > ? ORDER BY seq LIMIT ${ROWS_A_TURN}`)
    const columns = ['seq', 'id', 'position', 'document', 'search', ...made.columns]
    const put = database.statement(`INSERT INTO ${made.table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`)
    for (let rows = page.all(Number.MIN_SAFE_INTEGER); rows.length > 0; rows = page.all(Number(rows.at(-1)?.['seq']))) {
      for (const { seq, id, position, document } of rows) {
        const text = typeof document === 'string' ? document : null
        const keys = text === null ? [] : made.keysOf(parseDocument(text))
        put.run(Number(seq), String(id), String(position), text, searchText(keys.slice(made.columns.length)), ...made.columns.map((_, n) => keys[n] ?? null))
      }
    }
    database.exec(`DROP TABLE ${aside}`)
  }

  /** Takes the next documents into the search; false when there are no more, and the collection is complete. */
  const searchMore = ({ name, table, search, searched }: Collection): boolean => {
    const next = search ? database.statement(`SELECT seq, search FROM ${table} WHERE seq > ? ORDER BY seq LIMIT ${ROWS_A_TURN}`).all(searched) : []
    if (!search || next.length === 0) {
      setIndexed.run(name)
      return false
    }
    addTexts(
      database,
      search,
      next.map(({ seq, search: text }) => ({ seq: Number(seq), text: String(text) })),
    )
    setSearched.run(Number(next.at(-1)?.['seq']), name)
    return true
  }

  /** Makes the indexes that are missing; others may do so at the same time, and write. */
  const complete = async (name: string): Promise<void> => {
    /** False when there is nothing (more) to do. */
    const step = async (work: (collection: Collection) => boolean): Promise<boolean> => {
      const more = database.transaction(() => {
        const collection = look(name)
        return collection?.indexed === false && work(collection)
      })
      await turn()
      return more
    }
    for (const { name: index, paths } of current(name).indexes) {
      await step(({ table, valueOf }) => {
        database.exec(`CREATE INDEX IF NOT EXISTS ${index} ON ${table} (${paths.map(valueOf).join(', ')}) WHERE ${LIVING}`)
        return false
      })
    }
    while (await step(searchMore));
  }

  return {
    current,
    get(name) {
      const known = seen.get(name)
      return known?.indexed ? known : current(name)
    },

    async open(definition, loading) {
      const { name } = definition
      const text = definitionText(definition)
      const { indexed } = database.transaction(() => {
        const row = select.get(name)
        if (!row) make(name, text)
        else if (row['definition'] !== text) remake(current(name), text)
        return current(name)
      })
      if (!indexed && !loading) await complete(name)
    },

    async drop(name) {
      database.transaction(() => {
        const collection = look(name)
        if (!collection) return
        const { stamp, table, search } = collection
        // Out of sight at once. What a kill leaves of it, the next drop takes apart.
        database.exec(`ALTER TABLE ${table} RENAME TO ${quoted(`${DROPPED}${stamp}`)}`)
        if (search) database.exec(`ALTER TABLE ${search} RENAME TO ${quoted(`${DROPPED}${stamp}:search`)}`)
        remove.run(name)
        seen.delete(name)
      })
      await takeApart(database)
    },
  }
}

/** No collection's name holds a colon. */
const DROPPED = 'dropped:'

/**
 * Takes dropped tables apart a little at a time: SQLite overwrites all that they held, which in one go would hold up
 * everything else for many seconds.
 */
async function takeApart(database: Sqlite): Promise<void> {
  const tables = database.statement(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '${DROPPED}%'`)
  const indexes = database.statement(`SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL`)
  const names = (): string[] => tables.all().map(({ name }) => String(name))

  for (const table of names().filter((name) => /^[^:]+:[^:]+(:search)?$/.test(name))) {
    for (const { name } of indexes.all(table)) {
      database.exec(`DROP INDEX IF EXISTS ${quoted(String(name))}`)
      await turn()
    }
    // Nearly all of a search table lies in this part of it. Its first rows are needed to remove the rest.
    const [bulk, first] = table.endsWith(':search') ? [`${table}_data`, 100] : [table, Number.MIN_SAFE_INTEGER]
    const someRows = `SELECT rowid FROM ${quoted(bulk)} WHERE rowid > ${first} LIMIT ${ROWS_A_TURN}`
    const removeSome = (): boolean => names().includes(bulk) && database.statement(`DELETE FROM ${quoted(bulk)} WHERE rowid IN (${someRows})`).run() > 0
    while (database.transaction(removeSome)) await turn()
    database.exec(`DROP TABLE IF EXISTS ${quoted(table)}`)
  }
}
