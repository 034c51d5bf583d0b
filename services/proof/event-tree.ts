import { setImmediate as turn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import {
  type Checkpoint,
  CheckpointBeyondEnd,
  type EventStore,
  type StoredEvent,
} from '#infra/event-store/event-store.ts'
import type { TreeState, TreeStore } from '#infra/tree-store/tree-store.ts'
import { isAuthentic } from '#services/event-sourcing/codec/event-authentication.ts'
import { readLog } from '#services/event-sourcing/read-log.ts'
import { readThrough } from '#services/event-sourcing/read-through.ts'
import { leafOfEvent } from './stored-event-bytes.ts'
import {
  blockKey,
  hashIn,
  idIn,
  isFull,
  leavesUnder,
  type Place,
  placeOf,
  positionsIn,
  SLOTS,
  topLayer,
  TreeWriter,
} from './tree-blocks.ts'
import { completeNode, joinHashes, nodesOf } from './tree-proofs.ts'
import type { Subtree } from './tree-verification.ts'

/** Blocks read at once. */
const READ = 64
/** Subtrees or positions worked on between two turns of the event loop: a few ms. */
const STEP = 256
/** Bytes of blocks that are kept in memory: full ones never change. */
const CACHE_BYTES = 32 * 2 ** 20
/** Not for ever: another process may build the tree again. */
const CACHE_MS = 10 * 60_000

/** Leaves that were appended together. */
export interface AppendedLeaves {
  /** The index of the first. */
  readonly low: number
  readonly events: readonly StoredEvent[]
  readonly leaves: readonly Buffer[]
  /** After the last. */
  readonly checkpoint: Checkpoint
}
type OnAppended = (appended: AppendedLeaves) => void

/** The tree over all events, in its store. Every function throws {@link Unavailable} when a store can't be reached. */
export type EventTree = ReturnType<typeof createEventTree>

export function createEventTree(store: TreeStore) {
  const cache = new LRUCache<number, Uint8Array>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (block) => block.length,
    ttl: CACHE_MS,
  })

  /** The blocks with these keys. @throws {RangeError} when one does not exist. */
  const blocksOf = (keys: Iterable<number>): Promise<Map<number, Uint8Array>> =>
    readThrough(cache, keys, async (missing) => {
      const blocks: (readonly [number, Uint8Array])[] = []
      for (const step of stepsOf(missing, READ)) {
        const found = await store.read(step)
        for (const key of step) {
          const block = found.get(key)
          if (!block) throw new RangeError(`The tree has no block ${key}`)
          if (isFull(block)) cache.set(key, block.content)
          blocks.push([key, block.content])
        }
        await turn()
      }
      return blocks
    })

  const inSteps = async <Item, Result>(
    items: Iterable<Item>,
    work: (step: readonly Item[]) => Promise<readonly Result[]>,
  ): Promise<Result[]> => {
    const results: Result[] = []
    for (const step of stepsOf(items, STEP)) {
      for (const result of await work(step)) results.push(result)
      await turn()
    }
    return results
  }

  const followFrom = async (
    state: TreeState | undefined,
    eventStore: Pick<EventStore, 'subscribe'>,
    isOfSealing: (event: StoredEvent) => boolean,
    onAppended: OnAppended,
  ): Promise<TreeState | undefined> => {
    const size = state?.size ?? 0
    const writer = new TreeWriter(size, await store.read(TreeWriter.edgeKeys(size)))
    let reached = state
    for await (const { events: delivered, checkpoint } of readLog(eventStore, state?.checkpoint)) {
      // An event that the portal did not append is no leaf: no seal covers it.
      const events = delivered.filter(isAuthentic)
      const low = writer.size
      const leaves = events.map(leafOfEvent)
      let pending = reached?.pending ?? 0
      for (const [n, event] of events.entries()) {
        writer.append({ hash: leaves[n] ?? leafOfEvent(event), position: Number(event.position), id: event.id })
        if (!isOfSealing(event)) pending = writer.size
      }
      const last = events.at(-1)?.position ?? reached?.position
      if (last && (events.length > 0 || checkpoint !== reached?.checkpoint)) {
        reached = { size: writer.size, pending, position: last, checkpoint }
        await store.write(writer.takeChanged(), reached)
        onAppended({ low, events, leaves, checkpoint })
      }
    }
    return reached
  }

  /** Removes the tree, to be built again from the log. */
  const clear = async (): Promise<void> => {
    cache.clear()
    await store.clear()
  }

  return {
    /** How far the tree goes; undefined while it is empty. */
    state: () => store.state(),
    clear,

    /**
     * Appends the log's authentic events since the last one, and returns the state at the end of the log.
     *
     * @param isOfSealing Events that no checkpoint has to be made for: those of the sealing itself.
     * @param onAppended Called with what was appended, in order; from the first leaf on when the tree is built again.
     */
    async follow(
      eventStore: Pick<EventStore, 'subscribe'>,
      isOfSealing: (event: StoredEvent) => boolean,
      onAppended: OnAppended = () => {},
    ): Promise<TreeState | undefined> {
      try {
        return await followFrom(await store.state(), eventStore, isOfSealing, onAppended)
      } catch (error) {
        if (!(error instanceof CheckpointBeyondEnd)) throw error
        // The tree is of another log, or of one that was set back: what was published shows that, not the tree.
        await clear()
        return followFrom(undefined, eventStore, isOfSealing, onAppended)
      }
    },

    /** The hashes of subtrees. @throws {RangeError} for one that the tree does not contain. */
    hashesOf(subtrees: Iterable<Subtree>): Promise<Buffer[]> {
      return inSteps(subtrees, async (step) => {
        const places = step.map((subtree) => {
          const node = completeNode(subtree)
          return node ? placeOf(node) : nodesOf(subtree).map(placeOf)
        })
        const blocks = await blocksOf(places.flat().map(({ key }) => key))
        const hashAt = ({ key, offset }: Place): Buffer => {
          const block = blocks.get(key)
          if (!block) throw new RangeError('The tree has no such node')
          return hashIn(block, offset)
        }
        return places.map((place) => (Array.isArray(place) ? joinHashes(place.map(hashAt)) : hashAt(place)))
      })
    },

    /** The leaf index of each position in the log; undefined where the tree has no such position. */
    async indexesOf(positions: readonly number[]): Promise<(number | undefined)[]> {
      const state = await store.state()
      if (!state) return positions.map(() => undefined)
      const { size } = state
      return inSteps(positions, async (step) => {
        /**
         * For each position the slot that it is under: of the top layer first, of the lowest, which are the leaves,
         * last.
         */
        let slots: readonly (number | undefined)[] = step.map(() => 0)
        for (let layer = topLayer(size); layer >= 0; layer--) {
          const blocks = await blocksOf(
            slots.filter((index) => index !== undefined).map((index) => blockKey(layer, index)),
          )
          slots = slots.map((index, n) => {
            const block = index === undefined ? undefined : blocks.get(blockKey(layer, index))
            return index === undefined || !block
              ? undefined
              : slotOf(block, { layer, index, position: step[n] ?? 0, size })
          })
        }
        return slots
      })
    },

    /** The ids of the events of consecutive leaves, 16 bytes each. */
    async idsOf(low: number, high: number): Promise<Buffer[]> {
      const first = Math.floor(low / SLOTS)
      const keys = Array.from({ length: Math.ceil(high / SLOTS) - first }, (_, n) => blockKey(0, first + n))
      const blocks = await blocksOf(keys)
      return Array.from({ length: high - low }, (_, n) => {
        const block = blocks.get(blockKey(0, Math.floor((low + n) / SLOTS)))
        if (!block) throw new RangeError('The tree has no such leaf')
        return Buffer.from(idIn(block, (low + n) % SLOTS))
      })
    },
  }
}

/** Items in lists of so many. */
function* stepsOf<Item>(items: Iterable<Item>, size: number): Generator<readonly Item[]> {
  let step: Item[] = []
  for (const item of items) {
    step.push(item)
    if (step.length < size) continue
    yield step
    step = []
  }
  if (step.length > 0) yield step
}

interface Search {
  readonly layer: number
  /** The index of the block in the layer. */
  readonly index: number
  readonly position: number
  readonly size: number
}

/** The slot of a block under which a position is; undefined for a position that no leaf has. */
function slotOf(block: Uint8Array, { layer, index, position, size }: Search): number | undefined {
  const positionOf = positionsIn(block)
  let [slot, after] = [-1, Math.min(SLOTS, Math.ceil(size / leavesUnder(layer)) - index * SLOTS)]
  while (after - slot > 1) {
    const middle = (slot + after) >>> 1
    if (positionOf(middle) <= position) slot = middle
    else after = middle
  }
  if (slot < 0 || (layer === 0 && positionOf(slot) !== position)) return undefined
  return index * SLOTS + slot
}
