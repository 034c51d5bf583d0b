import type { Checkpoint, Position } from '../event-store/event-store.ts'

export interface SavedCheckpoint {
  readonly checkpoint: Checkpoint
  /** All events up to here are applied. */
  readonly position: Position
}
export interface ConsumerCheckpoint extends SavedCheckpoint {
  readonly consumer: string
}
/** How far each consumer of the log has come. A saved checkpoint never moves back, here or in `DocumentStore.write`. */
export interface CheckpointStore {
  load(consumer: string): Promise<SavedCheckpoint | undefined>
  loadAll(): Promise<ReadonlyMap<string, SavedCheckpoint>>
  /** Several at once cost one commit. */
  save(...checkpoints: readonly ConsumerCheckpoint[]): Promise<void>
  delete(consumer: string): Promise<void>
  /** Resolves when a checkpoint was saved since the call, in this process or another, or after `ms` at the latest. */
  saved(ms: number): Promise<void>
}
