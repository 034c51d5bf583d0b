import { createRunningWork } from '../running-work.ts'
import { comparePositions, type EventStore, type Position, start, type StoredEvent, toPosition } from './event-store.ts'

/**
 * Which position each event had in the log that it was moved from. A store that gives positions by itself gives them
 * others, but seals, evidence and exports name them: so whoever reads the moved log is told the old ones.
 */
export interface PositionMapping {
  /** Of the events that were moved, in their order: where they stand. */
  readonly currentPositions: readonly number[]
  /** What each of them is called. */
  readonly originalPositions: readonly number[]
}

/**
 * An event store whose first events were moved there from another log and keep the positions that they had. Those that
 * came after have positions that go on from the last one.
 *
 * @param load asked at the first use, and again after a failure; undefined where nothing was moved.
 */
export function withOriginalPositions(store: EventStore, load: () => Promise<PositionMapping | undefined>): EventStore {
  let loading: Promise<(position: Position) => Position> | undefined
  const appending = createRunningWork()

  const naming = async (): Promise<(position: Position) => Position> => {
    loading ??= load().then((numbering) => (numbering ? createPositionMapper(numbering) : (position) => position))
    try {
      return await loading
    } catch (error) {
      loading = undefined
      throw error
    }
  }

  return {
    ...store,
    append(stream, expected, events) {
      const append = async () => {
        const name = await naming()
        const { revision, position } = await store.append(stream, expected, events)
        return { revision, position: name(position) }
      }
      return appending.track(append())
    },
    async *readStream(stream, from, pageSize) {
      const name = await naming()
      for await (const page of store.readStream(stream, from, pageSize)) yield page.map((event) => withOriginalPosition(event, name))
    },
    async *subscribe(after, options) {
      const name = await naming()
      for await (const batch of store.subscribe(after, options))
        yield { ...batch, events: batch.events.map((event) => withOriginalPosition(event, name)), position: name(batch.position) }
    },
    async end() {
      const name = await naming()
      return name(await store.end())
    },
    async ready() {
      await naming()
      await store.ready()
    },
    async close() {
      // They may still be about to be handed on.
      await appending.settled()
      await store.close()
    },
  }
}

function withOriginalPosition(event: StoredEvent, name: (position: Position) => Position): StoredEvent {
  const position = name(event.position)
  return position === event.position ? event : { ...event, position }
}

/** Positions keep their order: what stands between two of the moved is called as the one before it. */
function createPositionMapper({ currentPositions, originalPositions }: PositionMapping): (position: Position) => Position {
  const [lastPlace, lastName] = [currentPositions.at(-1) ?? 0, originalPositions.at(-1) ?? 0]
  const end = toPosition(String(lastPlace))
  const shift = BigInt(Math.max(0, lastName - lastPlace))
  return (position) => {
    if (comparePositions(position, end) > 0) return shift === 0n ? position : toPosition(String(BigInt(position) + shift))
    const index = lastIndexUpTo(currentPositions, Number(position))
    return index < 0 ? start : toPosition(String(originalPositions[index]))
  }
}

/** The index of the last number that is not greater, -1 for none. */
function lastIndexUpTo(sorted: readonly number[], wanted: number): number {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? 0) <= wanted) from = middle + 1
    else to = middle
  }
  return from - 1
}
