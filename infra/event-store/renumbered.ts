import { createRunningWork } from '#infra/async.ts'
import { comparePositions, type EventStore, type Position, start, type StoredEvent, toPosition } from './event-store.ts'

/**
 * The original position of each migrated event. A store that assigns positions itself gives them new ones, but seals,
 * evidence and exports refer to the original ones, so readers of the migrated log get those.
 */
export interface PositionMapping {
  /** The current positions of the migrated events, in order. */
  readonly currentPositions: readonly number[]
  /** Their original positions. */
  readonly originalPositions: readonly number[]
}

/**
 * An event store whose first events were migrated from another log and keep their original positions. Later events
 * continue from the last one.
 *
 * @param load Called at the first use, and again after a failure; undefined where nothing was migrated.
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
      for await (const page of store.readStream(stream, from, pageSize))
        yield page.map((event) => withOriginalPosition(event, name))
    },
    async *subscribe(after, options) {
      const name = await naming()
      for await (const batch of store.subscribe(after, options))
        yield {
          ...batch,
          events: batch.events.map((event) => withOriginalPosition(event, name)),
          position: name(batch.position),
        }
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
      // They may still be in transit.
      await appending.settled()
      await store.close()
    },
  }
}

function withOriginalPosition(event: StoredEvent, name: (position: Position) => Position): StoredEvent {
  const position = name(event.position)
  return position === event.position ? event : { ...event, position }
}

/** Keeps positions in order: one between two migrated events maps to the earlier one. */
function createPositionMapper({
  currentPositions,
  originalPositions,
}: PositionMapping): (position: Position) => Position {
  const [lastPlace, lastName] = [currentPositions.at(-1) ?? 0, originalPositions.at(-1) ?? 0]
  const end = toPosition(String(lastPlace))
  const shift = BigInt(Math.max(0, lastName - lastPlace))
  return (position) => {
    if (comparePositions(position, end) > 0)
      return shift === 0n ? position : toPosition(String(BigInt(position) + shift))
    const index = lastIndexUpTo(currentPositions, Number(position))
    return index < 0 ? start : toPosition(String(originalPositions[index]))
  }
}

/** The index of the last number that is not greater, or -1. */
function lastIndexUpTo(sorted: readonly number[], limit: number): number {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? 0) <= limit) from = middle + 1
    else to = middle
  }
  return from - 1
}
