import type { Position } from '../event-store/event-store.ts'
import type { ConsumerCheckpoint } from './checkpoint-store.ts'

/** Collections of JSON documents. Each document carries the position of the last event applied to it. */
export interface DocumentStore {
  /** Creates the collection where it is missing, without its indexes: it is filled faster without, and found in slowly. */
  create(collection: CollectionDefinition): Promise<void>
  /** Creates the indexes that are missing. Reads and writes go on meanwhile. Call it once the collection has caught up. */
  createIndexes(collection: CollectionDefinition): Promise<void>
  read(collection: string, ids: readonly string[]): Promise<Map<string, StoredDocument>>
  /**
   * Writes each document that is still at its `expected` position, then the checkpoint, unless a write was refused.
   * Returns the ids refused: read those again, apply the events again, write again.
   */
  write(collection: string, writes: readonly DocumentWrite[], checkpoint?: ConsumerCheckpoint): Promise<string[]>
  find(collection: string, query: Query): Promise<Page>
  count(collection: string, query: Pick<Query, 'where' | 'search'>, atMost: number): Promise<number>
  /** Removes a collection and everything in it from the disk. Unknown names are fine. */
  drop(collection: string): Promise<void>
}

export type Json = null | boolean | number | string | Json[] | { [field: string]: Json }

/** A document's fields; a path into nested ones is written with dots: 'account.status'. */
export type Document = { [field: string]: Json }

export interface CollectionDefinition {
  /** Lower-case letters, digits and '_'. */
  readonly name: string
  /**
   * Each an ordered list of paths with 1 (ascending) or -1 (descending). 'created' stands for the order in which
   * documents were made. A query needs few looks where one index has the paths of its `where`, then that of its order.
   */
  readonly indexes: readonly Readonly<Record<string, 1 | -1>>[]
  /** Paths whose texts `search` looks into. */
  readonly search?: readonly string[]
}

export interface StoredDocument {
  readonly id: string
  /** Null for a tombstone: the document was deleted at `position`. */
  readonly document: Document | null
  /** Position of the last event folded in. */
  readonly position: Position
}

export interface DocumentWrite {
  readonly id: string
  /** Null leaves a tombstone. */
  readonly document: Document | null
  /** Beyond `expected`. */
  readonly position: Position
  /** The position that was read, null where there was nothing. */
  readonly expected: Position | null
}

export interface Query {
  /**
   * Equality, or membership for an array, for each path. What a path does not lead to counts as null; lists and nested
   * documents have no value to compare.
   */
  readonly where?: Readonly<Record<string, Scalar | readonly Scalar[]>>
  /**
   * Finds documents where one of the collection's search texts contains this, whatever the letter case. Fewer than
   * three characters match only the beginnings of words: a word is made of letters and digits. Blank finds all.
   */
  readonly search?: string
  /**
   * 'created', or a path that stands in an index: null first, then in order of numbers or of code points. Ties are in the
   * order in which the documents were made, in the same direction.
   */
  readonly sort?: { readonly by: string; readonly direction: 1 | -1 }
  readonly limit: number
  /** `next` of the page before, with the same query otherwise. @throws {BadCursor} when it is none of ours. */
  readonly cursor?: string
}

export type Scalar = null | boolean | number | string

export interface Page {
  readonly documents: readonly { readonly id: string; readonly document: Document }[]
  /** Where the next page begins; undefined on the last. */
  readonly next: string | undefined
}

export class BadCursor extends Error {
  override readonly name = 'BadCursor'
}
