import { comparePositions } from '../event-store/event-store.ts'
import { Unavailable } from '../failures.ts'
import type { CollectionDefinition, Document, DocumentWrite, Json, Scalar } from './read-model-store.ts'

/** What every adapter asks of documents and their collections, in the same way. */

/** As a path it stands for the order in which documents were made. */
export const CREATED = 'created'

/** @throws {TypeError} for a name or a path that can't be one. */
export function checkDefinition({ name, indexes, search = [] }: CollectionDefinition): void {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new TypeError(`Not a name for a collection: ${name}`)
  for (const path of [...indexes.flatMap((index) => Object.keys(index)), ...search]) splitPath(path)
}

/** @throws {TypeError} for writes that nobody may ask for. */
export function checkWrites(writes: readonly DocumentWrite[]): void {
  const ids = new Set<string>()
  for (const { id, position, expected } of writes) {
    if (ids.has(id)) throw new TypeError(`Document ${id} comes twice in one write`)
    // Two documents at the same position could not be told apart by it.
    if (expected !== null && comparePositions(position, expected) <= 0) throw new TypeError(`Document ${id} is written at no later position`)
    ids.add(id)
  }
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
export function scalarAt(document: Document, path: readonly string[]): Scalar {
  let value: Json | undefined = document
  for (const field of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, field)) return null
    value = value[field]
  }
  return typeof value === 'object' ? null : (value ?? null)
}

/** A path as it is split, checked since it becomes part of statements. @throws {TypeError} */
export function splitPath(path: string): string[] {
  if (!/^\w[\w-]*(\.\w[\w-]*)*$/.test(path)) throw new TypeError(`Not a path to a field: ${path}`)
  return path.split('.')
}
