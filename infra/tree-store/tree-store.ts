import type { Checkpoint, Position } from '#infra/event-store/event-store.ts'

/**
 * The port to the hashes of the tree over the log, in small blocks. Everything in it can be computed again from the
 * log.
 *
 * Every function throws {@link Unavailable} when the store can't be reached.
 */
export interface TreeStore {
  /** How far the stored tree goes; undefined before the first write. */
  state(): Promise<TreeState | undefined>

  /** The blocks with these keys; those that do not exist are left out. Ask for a few hundred at most. */
  read(keys: readonly number[]): Promise<ReadonlyMap<number, TreeBlock>>

  /**
   * Writes blocks, and then the state. Neither ever goes back: what was written for a larger tree stays, so a process
   * that was paused and replaced does no harm.
   */
  write(blocks: readonly TreeBlock[], state: TreeState): Promise<void>

  /** Removes everything. */
  clear(): Promise<void>

  close(): Promise<void>
}

export interface TreeState {
  /** Leaves. */
  readonly size: number
  /** Leaves up to the last one that waits for a checkpoint: those after it are of the sealing itself. */
  readonly pending: number
  /** The position in the log of the last leaf. */
  readonly position: Position
  /** Where the log is read on. */
  readonly checkpoint: Checkpoint
}

export interface TreeBlock {
  readonly key: number
  /** The size of the tree when it was written. */
  readonly size: number
  readonly content: Uint8Array
}
