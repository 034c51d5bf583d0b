import type { StoredEvent } from '../../infra/event-store/event-store.ts'

/**
 * The tree over all events of the log, in log order (RFC 6962), as exports and receipts use it. tree-verification.ts has the
 * checks of what comes from here, tree-checkpoint.ts reads the note.
 */
export interface TransparencyLog {
  /** The newest tree checkpoint; undefined before the first. */
  newest(): Promise<SignedTree | undefined>

  /**
   * The leaf index of each event; undefined where a tree of `size` does not contain it yet. An event is found by its
   * position, not by its bytes: an altered event keeps its index, and its proof fails.
   */
  indexesOf(events: readonly Pick<StoredEvent, 'position'>[], size: number): Promise<readonly (number | undefined)[]>

  /**
   * The multi-proof of some leaves in the tree of `size`: the hashes of all maximal subtrees that contain none of them, left
   * to right.
   *
   * @param indexes Ascending.
   * @throws {RangeError} when the tree has no such leaf, or they are not ascending.
   */
  inclusionOf(indexes: readonly number[], size: number): Promise<readonly Buffer[]>

  /** The inclusion path of one leaf in the tree of `size`, from its sibling up. @throws {RangeError} when it has no such leaf. */
  pathOf(index: number, size: number): Promise<readonly Buffer[]>

  /** The proof that the tree of `first` leaves is the beginning of that of `second`. @throws {RangeError} when it can't be. */
  consistencyOf(first: number, second: number): Promise<readonly Buffer[]>
}

/** A tree checkpoint, and what it says. */
export interface SignedTree {
  /** With the cosignatures of witnesses, as far as there are any. */
  readonly note: string
  /** An RFC 3161 time-stamp token of the checkpoint, if there is one. */
  readonly timestamp?: Buffer | undefined
  readonly size: number
  readonly root: Buffer
}
