import type { Position as LogPosition } from '@eventstore/db-client'
import { type Checkpoint, type Position, toCheckpoint, toPosition } from './event-store.ts'

/**
 * A position in EventStoreDB's log is a pair, and both halves matter: {X,X} is after the event at X, {X,0} before it.
 * Resuming from {X,X} instead of {X,0} would silently skip that event.
 */
export const beginning: LogPosition = { commit: 0n, prepare: 0n }

export function logPositionAfter(commit: bigint): LogPosition {
  return { commit, prepare: commit }
}

export function isBefore(one: LogPosition, other: LogPosition): boolean {
  return one.commit < other.commit || (one.commit === other.commit && one.prepare < other.prepare)
}

export function checkpointOf({ commit, prepare }: LogPosition): Checkpoint {
  return toCheckpoint(`${commit}/${prepare}`)
}

/** @throws {TypeError} for a checkpoint of another store. */
export function logPositionOf(checkpoint: Checkpoint): LogPosition {
  const [, commit, prepare] = /^(\d{1,20})\/(\d{1,20})$/.exec(checkpoint) ?? []
  if (commit === undefined || prepare === undefined)
    throw new TypeError(`Not a checkpoint of EventStoreDB: ${checkpoint}`)
  return { commit: BigInt(commit), prepare: BigInt(prepare) }
}

/** The position up to which everything was delivered; positions of our events are their commit positions. */
export function positionOf({ commit, prepare }: LogPosition): Position {
  return toPosition(String(prepare < commit ? commit - 1n : commit))
}
