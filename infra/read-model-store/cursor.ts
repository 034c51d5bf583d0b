import { createHash } from 'node:crypto'
import { folded } from './search-text.ts'
import { BadCursor, type Query, type Scalar } from './read-model-store.ts'

/** Where a page ended. Adapters put after the value what tells its document from others of the same value. */
export interface Place {
  /** The document's value of the path sorted by. */
  readonly value: Scalar
  /** The document's place in the order in which documents were made. */
  readonly made: number
}

/** Makes the cursor of a page that ended at a place; it is good for this query only. */
export function toCursor(collection: string, query: Query, { value, made }: Place): string {
  return Buffer.from(JSON.stringify([fingerprint(collection, query), value, made])).toString('base64url')
}

/** The place that a query's cursor stands for, undefined for the first page. @throws {BadCursor} */
export function fromCursor(collection: string, query: Query): Place | undefined {
  if (query.cursor === undefined) return undefined
  const parts = parse(query.cursor)
  if (!Array.isArray(parts) || parts.length !== 3) throw new BadCursor('This is no cursor')
  const [print, value, made]: unknown[] = parts
  if (!isScalar(value) || typeof made !== 'number' || !Number.isSafeInteger(made)) throw new BadCursor('This is no cursor')
  if (print !== fingerprint(collection, query)) throw new BadCursor('This cursor belongs to another query')
  return { value, made }
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch (error) {
    throw new BadCursor('This is no cursor', { cause: error })
  }
}

function fingerprint(collection: string, { where = {}, search = '', sort }: Query): string {
  const conditions = Object.entries(where).sort(([one], [other]) => (one < other ? -1 : 1))
  const query = [collection, conditions, search.trim() === '' ? '' : folded(search), sort?.by, sort?.direction]
  return createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 12)
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['boolean', 'number', 'string'].includes(typeof value)
}
