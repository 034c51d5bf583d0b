import { setImmediate as turn } from 'node:timers/promises'
import { z } from 'zod'
import {
  type Checkpoint,
  CheckpointBeyondEnd,
  comparePositions,
  type EventStore,
  type Position,
  start,
  type StoredEvent,
  toCheckpoint,
  toPosition,
} from '#infra/event-store/event-store.ts'
import type { TreeBlock, TreeStore } from '#infra/tree-store/tree-store.ts'
import { isAuthentic } from '#services/event-sourcing/codec/event-authentication.ts'
import type { SealedHeads } from '#services/event-sourcing/aggregate-repository.ts'
import { createKeyedQueue } from '#services/event-sourcing/keyed-queue.ts'
import { MissingEvents } from '#services/event-sourcing/missing-events.ts'
import { readLog } from '#services/event-sourcing/read-log.ts'
import type { AppendedLeaves } from './event-tree.ts'
import {
  emptyMap,
  headIn,
  type HeadMap,
  headsUnder,
  isSameUnder,
  type KeyedHead,
  keyOf,
  mapOf,
  rootOf,
  type Subtree,
  subtreeOf,
  toBytes,
  withHead,
} from './head-map.ts'
import type { HeadsData } from './seal.ts'
import { leafOfEvent } from './stored-event-bytes.ts'
import { blockKey } from './tree-blocks.ts'

/**
 * The heads of all streams as the newest checkpoint commits to them, in the memory of a process and in the store of the
 * tree. They are never taken from there unchecked: their root must be the one in the log.
 */
export interface StreamHeads extends SealedHeads {
  /**
   * The heads that the log commits to.
   *
   * @throws {LostHeads} {@link BrokenStream} when the log does not have them any more.
   */
  at(wanted: CommittedRoot, eventStore: Pick<EventStore, 'subscribe'>): Promise<Heads>
  /** Keeps heads that a checkpoint now commits to, and stores what differs from those that are stored. */
  commit(heads: Heads): Promise<void>
}

/** The log commits to this root. */
export interface CommittedRoot {
  /** The heads are those of the first so many leaves of the tree. */
  readonly size: number
  readonly root: Uint8Array
}

/** Returns the root that a recorded event commits to. */
export function committedRoot({ size, root }: HeadsData): CommittedRoot {
  return { size, root: Buffer.from(root, 'base64') }
}

/** The heads of the first leaves, and where the log is read on. */
export interface Heads {
  readonly map: HeadMap
  readonly size: number
  /** The position of the last leaf. */
  readonly position: Position
  /** At or before that position; undefined at the beginning. */
  readonly checkpoint: Checkpoint | undefined
}

/** The next event of a stream is not the next: one before it is gone, or is there twice. */
export class BrokenStream extends MissingEvents {
  override readonly name = 'BrokenStream'
  constructor({ stream, revision, position, type }: StoredEvent, before: number) {
    super(
      revision > before
        ? `Event ${position} (${type}) is ${stream}#${revision}, but ${stream}#${before + 1} is missing before it`
        : `Event ${position} (${type}) is ${stream}#${revision}, but the log had ${stream}#${before} before: that was deleted or replaced`,
    )
  }
}

/** The heads of the log are not those that a checkpoint commits to. */
export class LostHeads extends MissingEvents {
  override readonly name = 'LostHeads'
  constructor({ size }: CommittedRoot) {
    super(
      `The streams of the log do not end as they did when its first ${size} events were sealed: an event was deleted or replaced. npx proofdesk audit verify names it`,
    )
  }
}

/** Before the first event. */
export const noHeads: Heads = { map: emptyMap, size: 0, position: start, checkpoint: undefined }

/** Called with the leaves from an index on, in order. */
type OnLeaves = (low: number, leaves: readonly Buffer[]) => Promise<void>

export function createStreamHeads(store: Pick<TreeStore, 'state' | 'read' | 'write'>): StreamHeads {
  /** The newest first: one that is being proven from is kept while the next is committed. */
  let committed: readonly Heads[] = []
  /** The heads in the store, as far as this process read or wrote them. */
  let stored: Heads | undefined
  const queue = createKeyedQueue()

  const keep = (heads: Heads): void => {
    if (heads.size > (committed[0]?.size ?? 0)) committed = [heads, ...committed.slice(0, 1)]
  }

  const matching = ({ size, root }: CommittedRoot): Heads | undefined =>
    committed.find((heads) => heads.size === size && rootOf(heads.map).equals(root))

  /** The heads of memory, else those of the store, else none, followed on to a size. */
  const find = async (wanted: CommittedRoot, eventStore: Pick<EventStore, 'subscribe'>): Promise<Heads> => {
    const known = matching(wanted)
    if (known) return known
    const read = async () => (stored = await readHeads(store))
    for (const source of [async () => committed[0], read, async () => noHeads]) {
      const from = await source()
      if (!from || from.size > wanted.size) continue
      const heads = await followHeads(from, eventStore, wanted.size).catch((error: unknown) => {
        // Heads that were kept may be of another log; the log itself is read last.
        if (from === noHeads || !(error instanceof BrokenStream || error instanceof CheckpointBeyondEnd)) throw error
        return undefined
      })
      if (heads?.size !== wanted.size || !rootOf(heads.map).equals(wanted.root)) continue
      if (from === noHeads) committed = []
      keep(heads)
      return heads
    }
    throw new LostHeads(wanted)
  }

  return {
    at: (wanted, eventStore) => queue('heads', () => find(wanted, eventStore)),

    /** See {@link SealedHeads}. */
    headOf: (stream) => {
      const head = committed[0] && headIn(committed[0].map, keyOf(stream))
      return head && { revision: head.revision, isOf: (event) => head.leaf === toBytes(leafOfEvent(event)) }
    },

    async commit(heads) {
      keep(heads)
      await writeHeads(store, heads, stored)
      stored = heads
    },
  }
}

/**
 * The heads after the log's events up to a size, or to its end.
 *
 * @throws {BrokenStream}
 */
export async function followHeads(
  from: Heads,
  eventStore: Pick<EventStore, 'subscribe'>,
  size: number,
  onLeaves?: OnLeaves,
): Promise<Heads> {
  let heads = from
  if (heads.size === size) return heads
  for await (const { events, checkpoint } of readLog(eventStore, from.checkpoint)) {
    const leaves: Buffer[] = []
    const low = heads.size
    for (const event of events) {
      if (heads.size === size) break
      if (comparePositions(event.position, heads.position) <= 0 || !isAuthentic(event)) continue
      const leaf = leafOfEvent(event)
      leaves.push(leaf)
      heads = { ...heads, map: withEvent(heads.map, event, leaf), size: heads.size + 1, position: event.position }
    }
    await onLeaves?.(low, leaves)
    if (heads.size === size) return heads
    heads = { ...heads, checkpoint }
    await turn()
  }
  return heads
}

/** The heads after leaves that follow them. @throws {BrokenStream} */
export function withLeaves(heads: Heads, { events, leaves, checkpoint }: AppendedLeaves): Heads {
  let { map } = heads
  for (const [n, event] of events.entries()) map = withEvent(map, event, leaves[n] ?? leafOfEvent(event))
  const position = events.at(-1)?.position ?? heads.position
  return { map, size: heads.size + events.length, position, checkpoint }
}

function withEvent(map: HeadMap, event: StoredEvent, leaf: Buffer): HeadMap {
  const key = keyOf(event.stream)
  const before = headIn(map, key)?.revision ?? -1
  if (event.revision !== before + 1) throw new BrokenStream(event, before)
  return withHead(map, { key, revision: event.revision, leaf: toBytes(leaf) })
}

/**
 * How heads are stored: by the first bits of their keys, in blocks of the tree's store, beside those of the tree. Each
 * head has 72 bytes: key, revision, leaf. One more block says how far they go; it is written last.
 */
const SHARD_BITS = 10
/** Above the layers of the tree. */
const SHARD_LAYER = 16
const STATE_KEY = blockKey(SHARD_LAYER + 1, 0)
const HEAD_LENGTH = 72
const NOTHING = new Uint8Array()
/** Blocks read at once. */
const READ = 64

const storedState = z.object({
  size: z.int(),
  position: z.string().transform(toPosition),
  checkpoint: z.string().transform(toCheckpoint).optional(),
})
type StoredState = z.infer<typeof storedState>

function parseState(content: Uint8Array): StoredState | undefined {
  try {
    return storedState.parse(JSON.parse(Buffer.from(content).toString()))
  } catch {
    return undefined
  }
}

/** Undefined where there are none, or none that can be read: they are made again from the log. */
async function readHeads(store: Pick<TreeStore, 'read'>): Promise<Heads | undefined> {
  const block = (await store.read([STATE_KEY])).get(STATE_KEY)
  const state = block && parseState(block.content)
  if (!state) return undefined
  const subtrees: Subtree[] = []
  let streams = 0
  while (subtrees.length < 2 ** SHARD_BITS) {
    const keys = Array.from({ length: READ }, (_, n) => blockKey(SHARD_LAYER, subtrees.length + n))
    const blocks = await store.read(keys)
    for (const key of keys) {
      const heads = [...headsIn(blocks.get(key)?.content ?? NOTHING)]
      const made = subtreeOf(heads, SHARD_BITS, subtrees.length)
      if (!made) return undefined
      subtrees.push(made.subtree)
      streams += heads.length
    }
    // All at once would hold up other requests.
    await turn()
  }
  const { size, position, checkpoint } = state
  return { map: mapOf(subtrees, streams), size, position, checkpoint }
}

function* headsIn(content: Uint8Array): Generator<KeyedHead> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  for (let at = 0; at + HEAD_LENGTH <= bytes.length; at += HEAD_LENGTH)
    yield {
      key: toBytes(bytes.subarray(at, at + 32)),
      revision: bytes.readUInt32BE(at + 32) * 2 ** 32 + bytes.readUInt32BE(at + 36),
      leaf: toBytes(bytes.subarray(at + 40, at + HEAD_LENGTH)),
    }
}

async function writeHeads(
  store: Pick<TreeStore, 'state' | 'write'>,
  { map, size, position, checkpoint }: Heads,
  before: Heads | undefined,
): Promise<void> {
  const tree = await store.state()
  if (!tree) return
  const blocks: TreeBlock[] = []
  for (let shard = 0; shard < 2 ** SHARD_BITS; shard++) {
    if (before && isSameUnder(before.map, map, SHARD_BITS, shard)) continue
    const content = Buffer.concat(Array.from(headsUnder(map, SHARD_BITS, shard), headBytes))
    if (content.length > 0 || before) blocks.push({ key: blockKey(SHARD_LAYER, shard), size, content })
    if (blocks.length % READ === 0) await turn()
  }
  await store.write(blocks, tree)
  const content = Buffer.from(JSON.stringify({ size, position, checkpoint }))
  await store.write([{ key: STATE_KEY, size, content }], tree)
}

function headBytes({ key, revision, leaf }: KeyedHead): Buffer {
  const bytes = Buffer.alloc(HEAD_LENGTH)
  bytes.write(key, 0, 'latin1')
  bytes.writeBigUInt64BE(BigInt(revision), 32)
  bytes.write(leaf, 40, 'latin1')
  return bytes
}
