import type { Checkpoint, Position } from '../event-store/event-store.ts'

/**
 * The port to the views: collections of JSON documents, and how far each of their readers has come in the log.
 *
 * All of it can be rebuilt from the log. Each document carries the position of the last event folded into it, and a
 * write goes through only where the document still stands at the position that was read; so nothing needs a
 * transaction over several documents.
 */
export interface ViewStore {
  /**
   * Makes the collection and its indexes where they are missing. While it is being filled by `loading`, its indexes may
   * wait until it is opened without: it is written much faster, and found in slowly.
   */
  open(collection: CollectionDefinition, options?: { readonly loading?: boolean }): Promise<void>

  /** The documents with these ids, tombstones included; ids never written are missing from the answer. */
  read(collection: string, ids: readonly string[]): Promise<Map<string, StoredDocument>>

  /**
   * Writes documents, each where it still stands at `expected`, then the reader's progress, unless a write was
   * refused. Answers the ids refused: read those again, fold again, write again. No id comes twice in one call.
   */
  write(collection: string, writes: readonly DocumentWrite[], progress?: Progress & { readonly reader: string }): Promise<string[]>

  /**
   * A page of living documents. Newest made first, unless `sort` says otherwise: documents are made in the order in which
   * they are first written, within one `write` in the order given. One that comes back after a tombstone keeps its place.
   */
  find(collection: string, query: Query): Promise<Page>

  /** How many living documents match, counted up to `atMost`. */
  count(collection: string, query: Pick<Query, 'where' | 'search'>, atMost: number): Promise<number>

  /** Removes a collection and its indexes. Unknown ones are fine. */
  drop(collection: string): Promise<void>

  /**
   * How far a reader has come. Saved progress never moves back, here or in `write`: a worker that was paused while
   * another took over has nothing to say any more.
   */
  progress(reader: string): Promise<Progress | undefined>
  saveProgress(reader: string, progress: Progress): Promise<void>
  /** All readers with their progress. */
  readers(): Promise<Map<string, Progress>>
  forgetReader(reader: string): Promise<void>

  /** Resolves when some progress was saved since the call, in this process or another, or after `ms` at the latest. */
  progressed(ms: number): Promise<void>

  /** Small facts about the views themselves, such as which version is being served. */
  setting(name: string): Promise<string | undefined>
  /** All of them by name, in one look. */
  settings(): Promise<ReadonlyMap<string, string>>
  saveSetting(name: string, value: string | null): Promise<void>

  /** Notes an event that a reader could not fold. The same event again replaces the note. */
  setAside(poison: PoisonEvent): Promise<void>
  poison(reader?: string): Promise<PoisonEvent[]>
  /** Forgets the note of one event, or all notes of a reader. */
  forgetPoison(reader: string, event?: Pick<PoisonEvent, 'stream' | 'revision'>): Promise<void>

  /**
   * Takes or renews a lease for `ms`. False while another holder has it. Where it can be known that the
   * holder's process is gone, the lease is free at once.
   */
  lease(name: string, holder: string, ms: number): Promise<boolean>
  /** Gives a lease back, if the holder has it. */
  release(name: string, holder: string): Promise<void>

  /** @throws {Unavailable} */
  ready(): Promise<void>
  close(): Promise<void>
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

export interface Progress {
  readonly checkpoint: Checkpoint
  /** All events up to here are in the documents. */
  readonly position: Position
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

export interface PoisonEvent {
  readonly reader: string
  readonly stream: string
  readonly revision: number
  readonly position: Position
  readonly type: string
  readonly error: string
}

export class BadCursor extends Error {
  override readonly name = 'BadCursor'
}
