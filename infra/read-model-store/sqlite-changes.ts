import type { Position } from '../event-store/event-store.ts'
import type { Sqlite, SqlValue } from '../sqlite/sqlite.ts'
import { type Collection, type Keys, LIVING } from './sqlite-collection.ts'
import { inRows } from './sqlite-rows.ts'
import { addTexts, type NumberedText, removeTexts, searchText } from './sqlite-search.ts'
import type { DocumentWrite } from './read-model-store.ts'

/** What is known of a document. */
export interface Known {
  readonly position: Position
  /** Null for a tombstone. */
  readonly keys: Keys | null
}

/** Changes of a collection's documents, gathered so that few statements make them. */
export interface Changes {
  /** What will be known of the documents then. */
  readonly after: ReadonlyMap<string, Known>
  /** Takes a write of a document of which this was known before; undefined where there was none. */
  add(write: DocumentWrite, before: Known | undefined): void
  /** @throws {OutOfDate} when a document is not as it was known to be: everything is to be rolled back then. */
  make(): void
}

/** A document is not as it was known to be. */
export class OutOfDate extends Error {
  override readonly name = 'OutOfDate'
}

/** An update that changes more values than this sets all of them: so there are few different statements. */
const FEW_VALUES = 3

/** An update of the documents that change in the same way. */
interface Update {
  readonly columns: readonly string[]
  /** It makes a document a tombstone, or a tombstone a document. */
  readonly isTurn: boolean
  /** For each document its id, the position expected, then the columns' values. */
  readonly rows: SqlValue[]
}

/** Begins to gather changes; within the transaction that is to make them. */
export function openChanges(database: Sqlite, collection: Collection): Changes {
  const { table, columns, search, keysOf } = collection
  const whole = ['position', 'document', 'search', ...columns]
  const after = new Map<string, Known>()
  const updates = new Map<string, Update>()
  const made: { readonly id: string; readonly isLiving: boolean; readonly row: readonly SqlValue[] }[] = []
  const outOfSearch: string[] = []
  const intoSearch: string[] = []

  const wholeRow = (position: Position, text: string | null, keys: Keys | null): SqlValue[] => [
    position,
    text,
    searchText(keys?.slice(columns.length) ?? []),
    ...columns.map((_, n) => keys?.[n] ?? null),
  ]

  const rowsOf = (name: string, set: () => readonly string[], isTurn = false): SqlValue[] => {
    const known = updates.get(name)
    if (known) return known.rows
    const update = { columns: set(), isTurn, rows: [] }
    updates.set(name, update)
    return update.rows
  }

  const change = (id: string, position: Position, text: string, before: Known, keys: Keys): void => {
    if (keys === before.keys) {
      rowsOf('document', () => ['position', 'document']).push(id, before.position, position, text)
      return
    }
    const changed = keys.flatMap((key, n) => (key === before.keys?.[n] ? [] : [n]))
    const values = changed.filter((n) => n < columns.length)
    const set = values.length > FEW_VALUES ? columns.map((_, n) => n) : values
    const isReworded = values.length < changed.length
    if (isReworded) {
      outOfSearch.push(id)
      intoSearch.push(id)
    }
    const named = (): string[] => ['position', 'document', ...(isReworded ? ['search'] : []), ...set.map((n) => columns[n] ?? '')]
    const rows = rowsOf(`${isReworded} ${set.join()}`, named)
    rows.push(id, before.position, position, text)
    if (isReworded) rows.push(searchText(keys.slice(columns.length)))
    for (const n of set) rows.push(keys[n] ?? null)
  }

  const update = ({ columns: set, isTurn, rows }: Update): void => {
    const given = set.map((_, n) => `new_${n}`)
    const assignments = [...set.map((column, n) => `${column} = new_${n}`), ...(isTurn ? ['seq = -seq'] : [])]
    const changed = inRows(
      database,
      rows,
      set.length + 2,
      (places) => `
      WITH wanted (wanted_id, expected, ${given.join(', ')}) AS (VALUES ${places})
      UPDATE ${table} SET ${assignments.join(', ')} FROM wanted WHERE id = wanted_id AND position = expected`,
    )
    if (changed * (set.length + 2) !== rows.length) throw new OutOfDate()
  }

  /** Answers the texts of those that live. */
  const insert = (): NumberedText[] => {
    if (made.length === 0) return []
    const next = lastNumber(database, table) + 1
    const rows = made.flatMap(({ id, isLiving, row }, n) => [isLiving ? next + n : -(next + n), id, ...row])
    const inserted = inRows(
      database,
      rows,
      whole.length + 2,
      (places) => `
      INSERT INTO ${table} (seq, id, ${whole.join(', ')}) VALUES ${places} ON CONFLICT (id) DO NOTHING`,
    )
    if (inserted !== made.length) throw new OutOfDate()
    return made.flatMap(({ isLiving, row }, n) => (isLiving ? [{ seq: next + n, text: String(row[2]) }] : []))
  }

  return {
    after,
    add({ id, document, position }, before) {
      const text = document && JSON.stringify(document)
      const keys = document && keysOf(document, before?.keys ?? undefined)
      after.set(id, { position, keys })
      if (!before) made.push({ id, isLiving: keys !== null, row: wholeRow(position, text, keys) })
      else if (before.keys && keys && text !== null) change(id, position, text, before, keys)
      else if (before.keys === null && keys === null) rowsOf('tombstone', () => ['position']).push(id, before.position, position)
      else {
        rowsOf('turn', () => whole, true).push(id, before.position, ...wholeRow(position, text, keys))
        ;(keys ? intoSearch : outOfSearch).push(id)
      }
    },

    make() {
      if (search) removeTexts(database, search, searchedTexts(database, collection, outOfSearch))
      for (const each of updates.values()) update(each)
      const texts = insert()
      if (!search) return
      // What is made while a collection is being loaded is taken into the search later.
      addTexts(database, search, [...(collection.indexed ? texts : []), ...searchedTexts(database, collection, intoSearch)])
    },
  }
}

/** The texts of those documents that are in the search now: while a collection is being loaded, not all are. */
function searchedTexts(database: Sqlite, { table, indexed, searched }: Collection, ids: readonly string[]): NumberedText[] {
  if (ids.length === 0) return []
  const rows = database
    .statement(`SELECT seq, search FROM (SELECT value FROM json_each(?)) AS wanted CROSS JOIN ${table} ON id = wanted.value WHERE ${LIVING}`)
    .all(JSON.stringify(ids))
  const texts = rows.map(({ seq, search }) => ({ seq: Number(seq), text: String(search) }))
  return indexed ? texts : texts.filter(({ seq }) => seq <= searched)
}

/** The highest number ever given: a tombstone has kept its own, negated. */
function lastNumber(database: Sqlite, table: string): number {
  const row = database.statement(`SELECT (SELECT max(seq) FROM ${table}) AS highest, (SELECT min(seq) FROM ${table}) AS lowest`).get()
  return Math.max(Number(row?.['highest'] ?? 0), -Number(row?.['lowest'] ?? 0))
}
