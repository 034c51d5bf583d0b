import type { Checkpoint, Position } from '#infra/event-store/event-store.ts'

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
