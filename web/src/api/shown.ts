/**
 * The log positions of the answers on this page. Live updates start at the oldest one, so that no change is missed
 * between an answer and the first update.
 */

const listeners = new Set<(position: bigint) => void>()
let oldestPosition: bigint | undefined

/** Records the position of an answer, if it has a valid one. */
export function recordVisiblePosition(text: string | null): void {
  if (text === null || !/^\d+$/.test(text)) return
  const position = BigInt(text)
  if (oldestPosition === undefined || position < oldestPosition) oldestPosition = position
  for (const listener of listeners) listener(position)
}

/** The oldest position since {@link resetVisiblePosition}. */
export function oldestVisiblePosition(): bigint | undefined {
  return oldestPosition
}

/** Says that all cached answers include this position; undefined without cached answers. */
export function resetVisiblePosition(position: bigint | undefined): void {
  oldestPosition = position
}

/** Calls `listener` for every recorded position, until the returned function is called. */
export function onVisiblePosition(listener: (position: bigint) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
