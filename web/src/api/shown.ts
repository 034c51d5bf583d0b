/**
 * Up to where of the log the answers on this page show everything. Whoever listens for changes begins there, so that
 * nothing is missed between an answer and the first thing that is told.
 */

const listeners = new Set<(position: bigint) => void>()
let oldestPosition: bigint | undefined

/** Notes what an answer said of itself; most say nothing. */
export function recordVisiblePosition(text: string | null): void {
  if (text === null) return
  const position = BigInt(text)
  if (oldestPosition === undefined || position < oldestPosition) oldestPosition = position
  for (const listener of listeners) listener(position)
}

/** The least that was noted since {@link resetVisiblePosition}. */
export function oldestVisiblePosition(): bigint | undefined {
  return oldestPosition
}

/** All that is kept shows everything up to here; undefined when nothing is kept any more. */
export function resetVisiblePosition(position: bigint | undefined): void {
  oldestPosition = position
}

/** Is told of every note from now on, until the answered function is called. */
export function onVisiblePosition(listener: (position: bigint) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
