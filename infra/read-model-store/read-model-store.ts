import type { Checkpoint, Position } from '#infra/event-store/event-store.ts'

/**
 * Where the read models are kept: five small stores behind one connection. Everything in them can be rebuilt from the
 * log.
 */
export interface ReadModelStore {
  readonly documents: DocumentStore
  readonly checkpoints: CheckpointStore
  readonly projections: ProjectionStore
  readonly deadLetters: DeadLetterStore
  readonly leases: LeaseStore
  /** @throws {Unavailable} */
  ready(): Promise<void>
  close(): Promise<void>
}

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

  /**
   * All rows of a collection, tombstones included, in pages in the order of ids: also what no query finds, and what
   * others wrote there. A row that is written meanwhile is read as it was before or after.
   */
  scan(collection: string, pageSize: number): AsyncIterable<readonly ScannedRow[]>

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
  /** Those of `filters` that few documents pass: a store may look these up and leave the value out of other indexes. */
  readonly selective?: readonly string[]
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

/** A row as it lies in its store. */
export interface ScannedRow extends StoredDocument {
  /** Its place in the order in which documents were first written; null where a kill may leave another order. */
  readonly rank: number | null
  /** False where it is not as the store writes it: queries find it by something else than its content. */
  readonly isSound: boolean
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

/** How far each consumer of the log has come. A saved checkpoint never moves back, also when processes compete. */
export interface CheckpointStore {
  load(consumer: string): Promise<SavedCheckpoint | undefined>
  loadAll(): Promise<ReadonlyMap<string, SavedCheckpoint>>
  /** Several at once cost one commit. */
  save(...checkpoints: readonly ConsumerCheckpoint[]): Promise<void>
  delete(consumer: string): Promise<void>
  /** Resolves when a checkpoint is saved after the call, in this process or another, or after `ms` at the latest. */
  saved(ms: number): Promise<void>
}

export interface SavedCheckpoint {
  readonly checkpoint: Checkpoint
  /** All events up to here are applied. */
  readonly position: Position
}

export interface ConsumerCheckpoint extends SavedCheckpoint {
  readonly consumer: string
}

/** Which collections hold each projection's read model: one row a projection, changed atomically. */
export interface ProjectionStore {
  load(projection: string): Promise<ProjectionState | undefined>
  loadAll(): Promise<ReadonlyMap<string, ProjectionState>>
  /** Creates the row unless it exists. Returns the row as it is now. */
  create(state: ProjectionState): Promise<ProjectionState>
  /**
   * Changes some fields. Returns false, and changes nothing, where the row is missing or its fields are not as
   * `expected`: another process was faster.
   */
  update(
    projection: string,
    change: Partial<Omit<ProjectionState, 'projection'>>,
    expected?: ExpectedState,
  ): Promise<boolean>
}

export interface ProjectionState {
  readonly projection: string
  /** The collection that queries read. */
  readonly serving: string
  /** The collection that is built to replace it. */
  readonly building: string | null
  /** Collections no longer served and not yet dropped. */
  readonly retired: readonly string[]
  /** The last number used for a collection's name: no name is used twice. */
  readonly generation: number
  readonly rebuildRequested: boolean
  /** How fast the collection being filled moves, as the worker measured it last. */
  readonly pace: Pace | null
}

export interface Pace {
  readonly collection: string
  /** Ms since 1970. */
  readonly at: number
  /** Positions of the log a second. */
  readonly perSecond: number
}

export type ExpectedState = Partial<Pick<ProjectionState, 'serving' | 'building' | 'generation'>>

/** Events that a consumer could not apply. */
export interface DeadLetterStore {
  /** The same event again replaces its letter. */
  add(letter: DeadLetter): Promise<void>
  /** Those of one consumer, or all, in the order of the log. */
  list(consumer?: string): Promise<DeadLetter[]>
  /** Deletes the letter of one event, or all letters of a consumer. */
  delete(consumer: string, event?: Pick<DeadLetter, 'stream' | 'revision'>): Promise<void>
}

export interface DeadLetter {
  readonly consumer: string
  readonly stream: string
  readonly revision: number
  readonly position: Position
  readonly type: string
  readonly error: string
}

/** Leases: a name that one owner has for a time. */
export interface LeaseStore {
  /**
   * Acquires or renews a lease for `ms`. False while another owner has it. Where it can be known that the owner's
   * process is gone, the lease is free at once; one for more than twice `ms` from now is none.
   *
   * @param owner Begins with '<hostname>:<pid>:'.
   */
  acquire(name: string, owner: string, ms: number): Promise<boolean>
  /** Gives a lease back, if the owner has it. */
  release(name: string, owner: string): Promise<void>
}
