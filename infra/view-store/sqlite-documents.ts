import { LRUCache } from 'lru-cache'
import { comparePositions, type Position, toPosition } from '../event-store/event-store.ts'
import type { Sqlite, SqlValue } from '../sqlite/sqlite.ts'
import type { Catalogue } from './sqlite-catalogue.ts'
import { type Collection, type Keys, LIVING, noKeys, parseDocument } from './sqlite-collection.ts'
import { inRows } from './sqlite-rows.ts'
import { addTexts, type NumberedText, removeTexts, searchText } from './sqlite-search.ts'
import type { DocumentWrite, StoredDocument } from './view-store.ts'

/** Reads documents by their ids, and writes them. */
export interface Documents {
  read(collection: string, ids: readonly string[]): Map<string, StoredDocument>
  /** Answers the ids refused. Where there are none, `alongside` is done in the same transaction. */
  write(collection: string, writes: readonly DocumentWrite[], alongside: () => void): string[]
}

/** Documents of a collection whose keys are remembered. */
const REMEMBERED = 10_000
/** An update that changes more values than this sets all of them: so there are few different statements. */
const FEW_VALUES = 3

/**
 * A write has to know which of a document's values change, to leave the indexes of the others alone. That is remembered
 * from the last read or write, and read where it is not. Others write too, so what is remembered may be out of date;
 * but every statement checks the position it counts on. Then all is rolled back, and done again on what the file says.
 */
export function openDocuments(database: Sqlite, catalogue: Catalogue): Documents {
  /** By the collections' stamps. */
  const memories = new LRUCache<string, LRUCache<string, Known>>({ max: 32 })
  const memoryOf = ({ stamp }: Collection): LRUCache<string, Known> => {
    const memory = memories.get(stamp) ?? new LRUCache<string, Known>({ max: REMEMBERED })
    memories.set(stamp, memory)
    return memory
  }

  const readStored = ({ table, keysOf }: Collection, ids: readonly string[]): (StoredDocument & Known)[] => {
    const stored = database.statement(`
      SELECT id, position, document FROM (SELECT value FROM json_each(?)) AS wanted CROSS JOIN ${table} ON id = wanted.value`)
    return stored.all(JSON.stringify(ids)).map((row) => {
      const text = row['document']
      const document = typeof text === 'string' ? parseDocument(text) : null
      return { id: String(row['id']), document, position: toPosition(String(row['position'])), keys: document && keysOf(document) }
    })
  }

  const attempt = (name: string, writes: readonly DocumentWrite[], alongside: () => void, trusting: boolean): string[] => {
    const collection = catalogue.current(name)
    const memory = memoryOf(collection)
    const known = new Map<string, Known>()
    const unknown: string[] = []
    for (const { id, expected } of writes) {
      const remembered = memory.get(id)
      if (!trusting || (expected !== null && remembered?.position !== expected)) unknown.push(id)
      else if (expected !== null && remembered) known.set(id, remembered)
    }
    if (unknown.length > 0) for (const stored of readStored(collection, unknown)) known.set(stored.id, stored)

    const refused: string[] = []
    const changes: Change[] = []
    for (const { id, document, position, expected } of writes) {
      const before = known.get(id)
      if ((before?.position ?? null) !== expected) refused.push(id)
      else changes.push({ id, position, before, text: document && JSON.stringify(document), keys: document && collection.keysOf(document) })
    }
    writeChanges(database, collection, changes)
    if (refused.length === 0) alongside()

    // Should the transaction not go through after all, the positions do not fit, and it is read again.
    for (const { id, position, keys } of changes) memory.set(id, { position, keys })
    return refused
  }

  return {
    read(name, ids) {
      const collection = catalogue.get(name)
      const memory = memoryOf(collection)
      const documents = new Map<string, StoredDocument>()
      for (const { id, document, position, keys } of readStored(collection, ids)) {
        documents.set(id, { id, document, position })
        memory.set(id, { position, keys })
      }
      return documents
    },

    write(name, writes, alongside) {
      if (new Set(writes.map(({ id }) => id)).size < writes.length) throw new TypeError('A document comes twice in one write')
      for (const { id, position, expected } of writes) {
        // Two different documents at one position could not be told apart by it.
        if (expected !== null && comparePositions(position, expected) <= 0) throw new TypeError(`Document ${id} is written at no later position`)
      }
      try {
        return database.transaction(() => attempt(name, writes, alongside, true))
      } catch (error) {
        if (!(error instanceof OutOfDate)) throw error
        return database.transaction(() => attempt(name, writes, alongside, false))
      }
    },
  }
}

/** What is known of a document. */
interface Known {
  readonly position: Position
  /** Null for a tombstone. */
  readonly keys: Keys | null
}

interface Change extends Known {
  readonly id: string
  /** The document as JSON, null for a tombstone. */
  readonly text: string | null
  readonly before: Known | undefined
}

/** What was believed of a document is not so. */
class OutOfDate extends Error {
  override readonly name = 'OutOfDate'
}

function writeChanges(database: Sqlite, collection: Collection, changes: readonly Change[]): void {
  const { table, columns, search } = collection
  const made = changes.filter(({ before }) => !before)
  const kept = changes.filter(({ before, keys }) => before?.keys && keys)
  const buried = changes.filter(({ before, keys }) => before?.keys && !keys)
  const raised = changes.filter(({ before, keys }) => before && !before.keys && keys)
  const leftBuried = changes.filter(({ before, keys }) => before && !before.keys && !keys)

  /** Sets columns to the values that `valuesOf` gives for each change. */
  const update = (group: readonly Change[], set: readonly string[], valuesOf: (change: Change) => readonly SqlValue[], alsoSet = ''): void => {
    const rows = group.map((change) => [change.id, change.before?.position ?? null, ...valuesOf(change)])
    const assignments = set.map((column, n) => `${column} = new_${n}`)
    const changed = inRows(database, rows, (places) => `
      WITH wanted (wanted_id, expected, ${set.map((_, n) => `new_${n}`).join(', ')}) AS (VALUES ${places})
      UPDATE ${table} SET ${assignments.join(', ')}${alsoSet} FROM wanted WHERE id = wanted_id AND position = expected`)
    if (changed !== group.length) throw new OutOfDate()
  }
  const whole = ['position', 'document', 'search', ...columns]
  const wholeRow = ({ position, text, keys }: Change): SqlValue[] => {
    const { values, texts } = keys ?? noKeys(collection)
    return [position, text, searchText(texts), ...values]
  }

  const reworded = new Set(kept.filter(({ before, keys }) => !isSame(before?.keys?.texts, keys?.texts)))
  if (search) removeTexts(database, search, searchedTexts(database, collection, [...reworded, ...buried]))

  for (const { group, values, isReworded } of alike(kept, reworded, columns.length)) {
    const set = ['position', 'document', ...(isReworded ? ['search'] : []), ...values.map((n) => columns[n] ?? '')]
    update(group, set, ({ position, text, keys }) => {
      const changed = values.map((n) => keys?.values[n] ?? null)
      return isReworded ? [position, text, searchText(keys?.texts ?? []), ...changed] : [position, text, ...changed]
    })
  }
  update(buried, whole, wholeRow, ', seq = -seq')
  update(raised, whole, wholeRow, ', seq = -seq')
  update(leftBuried, ['position'], ({ position }) => [position])

  const last = made.length > 0 ? lastNumber(database, table) : 0
  const numbered = made.map((change, n) => ({ seq: (last + 1 + n) * (change.keys ? 1 : -1), id: change.id, row: wholeRow(change) }))
  const inserted = inRows(database, numbered.map(({ seq, id, row }) => [seq, id, ...row]), (places) => `
    INSERT INTO ${table} (seq, id, ${whole.join(', ')}) VALUES ${places} ON CONFLICT (id) DO NOTHING`)
  if (inserted !== made.length) throw new OutOfDate()

  if (!search) return
  const texts = searchedTexts(database, collection, [...reworded, ...raised])
  for (const { seq, row } of numbered) if (collection.indexed && seq > 0) texts.push({ seq, text: String(row[2]) })
  addTexts(database, search, texts)
}

/** The texts of those documents that belong into the search now: while a collection is being loaded, not all do. */
function searchedTexts(database: Sqlite, { table, indexed, searched }: Collection, changes: readonly Change[]): NumberedText[] {
  if (changes.length === 0) return []
  const rows = database
    .statement(`SELECT seq, search FROM (SELECT value FROM json_each(?)) AS wanted CROSS JOIN ${table} ON id = wanted.value WHERE ${LIVING}`)
    .all(JSON.stringify(changes.map(({ id }) => id)))
  const texts = rows.map(({ seq, search }) => ({ seq: Number(seq), text: String(search) }))
  return indexed ? texts : texts.filter(({ seq }) => seq <= searched)
}

/** The highest number ever given: a tombstone has kept its own, negated. */
function lastNumber(database: Sqlite, table: string): number {
  const row = database.statement(`SELECT (SELECT max(seq) FROM ${table}) AS highest, (SELECT min(seq) FROM ${table}) AS lowest`).get()
  return Math.max(Number(row?.['highest'] ?? 0), -Number(row?.['lowest'] ?? 0), 0)
}

interface Alike {
  readonly group: Change[]
  /** Which values change. */
  readonly values: readonly number[]
  readonly isReworded: boolean
}

/** Groups changes by what they change. */
function alike(changes: readonly Change[], reworded: ReadonlySet<Change>, columns: number): Iterable<Alike> {
  const all = Array.from({ length: columns }, (_, n) => n)
  const groups = new Map<string, Alike>()
  for (const change of changes) {
    const { before, keys } = change
    const changed = all.filter((n) => before?.keys?.values[n] !== keys?.values[n])
    const values = changed.length > FEW_VALUES ? all : changed
    const isReworded = reworded.has(change)
    const name = `${isReworded} ${values.join()}`
    const known = groups.get(name)
    if (known) known.group.push(change)
    else groups.set(name, { group: [change], values, isReworded })
  }
  return groups.values()
}

function isSame(one: readonly (string | null)[] = [], other: readonly (string | null)[] = []): boolean {
  return one.length === other.length && one.every((text, n) => text === other[n])
}
