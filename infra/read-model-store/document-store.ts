import type { Position } from '#infra/event-store/event-store.ts'
import type { ConsumerCheckpoint } from './checkpoint-store.ts'

/**
 * Collections of JSON documents. Each document carries the position of the last event applied to it, and a write
 * succeeds only where the document is still at the position that was read. So nothing needs a transaction over several
 * documents.
 */
export interface DocumentStore {
  /**
   * Creates the collection, without indexes, unless it exists. One that exists with another definition is kept: it is
   * searched by its own texts, and slow to filter and to sort by what it has no index for.
   */
  create(collection: CollectionDefinition): Promise<void>

  /**
   * Creates the indexes that are missing. Until then documents are written faster and found slowly, so it is called
   * when the collection has caught up with the log. Reads and writes go on meanwhile.
   */
  createIndexes(collection: CollectionDefinition): Promise<void>

  /** The documents with these ids, tombstones included, without those never written. */
  read(collection: string, ids: readonly string[]): Promise<Map<string, StoredDocument>>

  /**
   * Writes each document that is still at its `expected` position, then the checkpoint, unless a write was refused.
   * Returns the ids refused: read those again, apply the events again, write again. Each id may occur once.
   */
  write(collection: string, writes: readonly DocumentWrite[], checkpoint?: ConsumerCheckpoint): Promise<string[]>

  /**
   * A page of living documents. The newest first, unless `sort` says otherwise: documents are in the order in which
   * they first written, within one `write` in the given order. One that returns after a tombstone keeps its rank.
   */
  find(collection: string, query: Query): Promise<Page>

  /** How many living documents match, counted up to `atMost`. */
  count(collection: string, query: Pick<Query, 'where' | 'search'>, atMost: number): Promise<number>

  /** Removes a collection and everything in it. Unknown ones are fine. */
  drop(collection: string): Promise<void>
}

export type Json = null | boolean | number | string | Json[] | { [field: string]: Json }

/** A document's fields; a path into nested ones is written with dots: 'account.status'. */
export type Document = { [field: string]: Json }

export interface CollectionDefinition {
  /** Lower-case letters, digits and '_'. */
  readonly name: string
  /** Paths that `where` may name. */
  readonly filters?: readonly string[]
  /** Paths that `sort` may name. */
  readonly sorts?: readonly string[]
  /** Paths of the texts that `search` looks into. */
  readonly search?: readonly string[]
}

export interface StoredDocument {
  readonly id: string
  /** Null for a tombstone: the document was deleted at `position`. */
  readonly document: Document | null
  /** Position of the last event applied. */
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
   * Equality, membership for an array, or a range of numbers, for each path. A missing field counts as null; so do
   * lists and nested documents, which have no value to compare.
   */
  readonly where?: Readonly<Record<string, Wanted>>
  /**
   * Finds documents where one of the collection's search texts contains this, regardless of case. Fewer than three
   * characters match only the beginnings of words: a word is made of letters and digits. Blank finds all.
   */
  readonly search?: string
  /**
   * 'created', or a path to sort by: null first, then numbers, then texts by code points. Ties are in the
   * order in which the documents were first written, in the same direction.
   */
  readonly sort?: { readonly by: string; readonly direction: 1 | -1 }
  readonly limit: number
  /** `next` of the page before, of the same query. @throws {BadCursor} for any other. */
  readonly cursor?: string
}

export type Scalar = null | boolean | number | string

/** What a filter accepts. */
export type Wanted = Scalar | readonly Scalar[] | Range

/** The numbers from one to another, both included. */
export interface Range {
  readonly from: number
  readonly to: number
}

export interface Page {
  readonly documents: readonly { readonly id: string; readonly document: Document }[]
  /** Where the next page begins; undefined on the last. */
  readonly next: string | undefined
}

export class BadCursor extends Error {
  override readonly name = 'BadCursor'
}
