import { scalarAt, splitPath } from './document-rules.ts'
import { searchText } from './mongodb-search.ts'
import type { Document, Json, Scalar } from './read-model-store.ts'

/**
 * How a document is stored in MongoDB. The document itself is a text, so that it returns unchanged, beside the values
 * by which it can be found.
 */
export interface Stored {
  readonly _id: string
  readonly position: string
  /** Counts up as documents are first written; a tombstone keeps it. */
  readonly made: number
  /** A tombstone, which has nothing left but its position. Every index begins with it, so that no query meets one. */
  readonly gone: boolean
  readonly document: string | null
  /** Comparable values of the document, by path: numbers, texts and booleans. A missing one is null to MongoDB. */
  readonly keys: { readonly [key: string]: Scalar }
  readonly search: string
  readonly grams: readonly string[]
}

/** The fields of a document, or of a tombstone. */
export function contentOf(
  document: Document | null,
  search: readonly string[],
): Pick<Stored, 'gone' | 'document' | 'keys' | 'search' | 'grams'> {
  if (document === null) return { gone: true, document: null, keys: {}, search: '', grams: [] }
  const texts = search.map((path) => scalarAt(document, path))
  return {
    gone: false,
    document: JSON.stringify(document),
    keys: Object.fromEntries(keysOf(document)),
    ...searchText(texts),
  }
}

/** The field that holds a path's value: a dot would lead into a nested document. */
export function keyOf(path: string): string {
  return `keys.${splitPath(path).join('/')}`
}

/** The fields that a path can name. */
const NAMEABLE = /^\w[\w-]*$/

function* keysOf(document: { readonly [field: string]: Json }, above = ''): Generator<[string, Scalar]> {
  for (const [field, value] of Object.entries(document)) {
    if (!NAMEABLE.test(field) || value === null || Array.isArray(value)) continue
    if (typeof value === 'object') yield* keysOf(value, `${above}${field}/`)
    else yield [`${above}${field}`, value]
  }
}
