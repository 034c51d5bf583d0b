import type { Position as Place } from '@eventstore/db-client'
import { type Checkpoint, type Position, toCheckpoint, toPosition } from './event-store.ts'

/**
 * A place in EventStoreDB's log is a pair, and both halves are kept: {X,X} lies after the event at X, {X,0} before it.
 * Resuming from {X,X} where the server said {X,0} would lose that event without a word.
 */
export const beginning: Place = { commit: 0n, prepare: 0n }

export function logPositionAfter(commit: bigint): Place {
  return { commit, prepare: commit }
}

export function isBefore(one: Place, other: Place): boolean {
  return one.commit < other.commit || (one.commit === other.commit && one.prepare < other.prepare)
}

export function checkpointOf({ commit, prepare }: Place): Checkpoint {
  return toCheckpoint(`${commit}/${prepare}`)
}

/** @throws {TypeError} for a checkpoint that EventStoreDB never gave. */
export function logPositionOf(checkpoint: Checkpoint): Place {
  const [, commit, prepare] = /^(\d{1,20})\/(\d{1,20})$/.exec(checkpoint) ?? []
  if (commit === undefined || prepare === undefined) throw new TypeError(`Not a checkpoint of EventStoreDB: ${checkpoint}`)
  return { commit: BigInt(commit), prepare: BigInt(prepare) }
}

/** The last position of which all was delivered; the positions of our events are those of their commits. */
export function positionOf({ commit, prepare }: Place): Position {
  return toPosition(String(prepare < commit ? commit - 1n : commit))
}
