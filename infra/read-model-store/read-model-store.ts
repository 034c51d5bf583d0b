import type { Checkpoint, Position } from '../event-store/event-store.ts'
import type { CheckpointStore } from './checkpoint-store.ts'
import type { DeadLetterStore } from './dead-letter-store.ts'
import type { CollectionDefinition, DocumentStore, DocumentWrite, Page, Query, StoredDocument } from './document-store.ts'
import type { LeaseStore } from './lease-store.ts'
import type { ProjectionStore } from './projection-store.ts'

export type * from './checkpoint-store.ts'
export type * from './dead-letter-store.ts'
export * from './document-store.ts'
export type * from './lease-store.ts'
export type * from './projection-store.ts'

/** The port to the read models, in five parts. All of it can be rebuilt from the log. */
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

export interface Progress {
  readonly checkpoint: Checkpoint
  /** All events up to here are in the documents. */
  readonly position: Position
}

export interface PoisonEvent {
  readonly reader: string
  readonly stream: string
  readonly revision: number
  readonly position: Position
  readonly type: string
  readonly error: string
}
