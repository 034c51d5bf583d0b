import { Unavailable } from '../failures.ts'
import type { SqlValue } from '../sqlite/sqlite.ts'
import { checkDefinition, CREATED, scalarAt, splitPath } from './documents.ts'
import type { CollectionDefinition, Document } from './read-model-store.ts'

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
  /** The columns of {@link Keys}' values. */
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
  /** A document's keys; the very ones given, if it still has those. */
  keysOf(document: Document, before?: Keys): Keys
}

export interface Index {
  readonly name: string
  readonly paths: readonly string[]
}

/** What the indexes keep of a document: the value of each column, then the texts to search in. */
export type Keys = readonly SqlValue[]

/** No tombstone. Indexes are made with this condition, so a query has to say it in the same words for them to serve it. */
export const LIVING = 'seq > 0'

const FALSE = Uint8Array.of(0)
const TRUE = Uint8Array.of(1)

/** A value as SQLite stores it. A boolean is a blob: neither number nor text equals it, and it sorts after both. */
export function sqlValue(value: string | number | boolean | null): SqlValue {
  if (typeof value === 'boolean') return value ? TRUE : FALSE
  // Texts with a NUL are not taken.
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\u0001') : value
  return value === null || Number.isFinite(value) ? value : null
}

/** A name or a path in SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** What the catalogue keeps of a definition. @throws {TypeError} for a name or a path that can't be one. */
export function definitionText(definition: CollectionDefinition): string {
  checkDefinition(definition)
  const { indexes, search = [] } = definition
  return JSON.stringify({ indexes: indexes.map((index) => Object.keys(index)), search })
}

/** A collection as its entry in the catalogue says. */
export function collectionOf(name: string, definition: string, stamp: string): Omit<Collection, 'indexed' | 'searched'> {
  const { indexes: listed, search } = parseDefinition(definition)
  // SQLite ends every index with the row's number, which is the order in which documents were made; and it walks both ways.
  const lists = listed.map((paths) => (paths.includes(CREATED) ? paths.slice(0, paths.indexOf(CREATED)) : paths))
  const distinct = new Map(lists.filter((paths) => paths.length > 0).map((paths) => [paths.join(','), paths]))
  const paths = [...new Set([...distinct.values()].flat())]
  const columns = paths.map((_, n) => `value_${n}`)
  const keyPaths = [...paths, ...search].map(splitPath)
  return {
    name,
    stamp,
    table: quoted(`${name}:documents`),
    columns,
    // With the stamp, as the indexes of a dropped table of this name may still be there.
    indexes: [...distinct].map(([key, indexed]) => ({ name: quoted(`${name}:${key}:${stamp}`), paths: indexed })),
    search: search.length > 0 ? quoted(`${name}:search`) : undefined,
    valueOf: (path) => columns[paths.indexOf(path)] ?? valueInDocument(path),
    isIndexed: (path) => path === CREATED || paths.includes(path),
    keysOf(document, before) {
      const keyAt = (n: number): SqlValue => {
        const value = scalarAt(document, keyPaths[n] ?? [])
        return n < columns.length ? sqlValue(value) : typeof value === 'string' ? value : null
      }
      if (!before) return keyPaths.map((_, n) => keyAt(n))
      for (let n = 0; n < keyPaths.length; n++) if (keyAt(n) !== before[n]) return keyPaths.map((_each, m) => keyAt(m))
      return before
    },
  }
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
