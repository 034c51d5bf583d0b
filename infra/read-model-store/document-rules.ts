import { comparePositions, isPosition, type Position, start } from '#infra/event-store/event-store.ts'
import { Unavailable } from '#infra/failures.ts'
import type {
  CollectionDefinition,
  Document,
  DocumentWrite,
  Json,
  Query,
  Range,
  Scalar,
  Wanted,
} from './read-model-store.ts'

/** What every adapter requires of documents, collections and queries, in the same way. */

/** As a path: the order in which documents were first written. */
export const CREATED = 'created'

/** @throws {TypeError} for an invalid name or path. */
export function checkDefinition({ name, filters = [], sorts = [], search = [] }: CollectionDefinition): void {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new TypeError(`Not a name for a collection: ${name}`)
  for (const path of [...filters, ...sorts, ...search]) splitPath(path)
}

/** @throws {TypeError} for writes that no stored document makes valid. */
export function checkWrites(writes: readonly DocumentWrite[]): void {
  const ids = new Set<string>()
  for (const { id, position, expected } of writes) {
    if (ids.has(id)) throw new TypeError(`Document ${id} occurs twice in one write`)
    // A position must identify one version of a document.
    if (expected !== null && comparePositions(position, expected) <= 0)
      throw new TypeError(`Document ${id} is written at no later position`)
    ids.add(id)
  }
}

/** @throws {TypeError} for a query that a collection has no index for. */
export function checkQuery(
  { name, filters = [], sorts = [] }: CollectionDefinition,
  { where = {}, sort, limit = 1 }: Partial<Query>,
): void {
  if (!Number.isInteger(limit) || limit < 1) throw new TypeError(`Not a number of documents: ${limit}`)
  for (const path of Object.keys(where))
    if (!filters.includes(path)) throw new TypeError(`${name} has no filter ${path}`)
  if (sort && sort.by !== CREATED && !sorts.includes(sort.by)) throw new TypeError(`${name} has no order ${sort.by}`)
}

/** What a filter accepts: a range, or values as a list. */
export function wantedValues(wanted: Wanted): Range | readonly Scalar[] {
  return typeof wanted === 'object' && wanted !== null ? wanted : [wanted]
}

/** Whether a filter accepts a range. */
export function isRange(wanted: Range | readonly Scalar[]): wanted is Range {
  return 'from' in wanted
}

/** Reads what is stored. @throws {Unavailable} when it is not what was written: the file is damaged. */
export function readStored<Read>(read: () => Read): Read {
  try {
    return read()
  } catch (error) {
    throw new Unavailable('view store', { cause: error })
  }
}

/** The document in a stored text. @throws {Unavailable} when it is none. */
export function parseDocument(text: string): Document {
  return readStored(() => {
    const value: unknown = JSON.parse(text)
    if (isDocument(value)) return value
    throw new TypeError('A stored document is no object')
  })
}

/** The same for a row that anyone may have written: one without a document has an empty one, which nobody wrote. */
export function scannedDocument(text: unknown): Document | null {
  if (text === null) return null
  try {
    return typeof text === 'string' ? parseDocument(text) : {}
  } catch {
    return {}
  }
}

/** The position of such a row: one that is none is before all others. */
export function scannedPosition(text: unknown): Position {
  return typeof text === 'string' && isPosition(text) ? text : start
}

function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value at a path of a document, null for what can't be compared. */
export function scalarAt(document: Document, path: string): Scalar {
  let value: Json | undefined = document
  for (const field of path.split('.')) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, field)) return null
    value = value[field]
  }
  return typeof value === 'object' ? null : (value ?? null)
}

/** A path's fields, checked because they become part of statements. @throws {TypeError} */
export function splitPath(path: string): string[] {
  if (!/^\w[\w-]*(\.\w[\w-]*)*$/.test(path)) throw new TypeError(`Not a path to a field: ${path}`)
  return path.split('.')
}
