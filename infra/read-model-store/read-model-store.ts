import type { CheckpointStore } from './checkpoint-store.ts'
import type { DeadLetterStore } from './dead-letter-store.ts'
import type { DocumentStore } from './document-store.ts'
import type { LeaseStore } from './lease-store.ts'
import type { ProjectionStore } from './projection-store.ts'

export type * from './checkpoint-store.ts'
export type * from './dead-letter-store.ts'
export * from './document-store.ts'
export type * from './lease-store.ts'
export type * from './projection-store.ts'

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
