import type { TreeBlock } from '#infra/tree-store/tree-store.ts'
import { nodeOf } from './merkle-tree.ts'
import type { TreeNode } from './tree-proofs.ts'

/**
 * How the tree is stored: cut into blocks of {@link HEIGHT} levels, so that a proof reads few bytes and an append
 * writes few blocks. The slots of a block in the lowest layer are leaves, those of a higher one the roots of the blocks
 * below.
 *
 * A block holds, one after the other: for each slot the log position of its first leaf; in the lowest layer the id of
 * each event; the hashes of its levels, lowest first. The root of a full block is in the layer above.
 */

/** Levels in a block. */
export const HEIGHT = 4
/** Slots of a block. */
export const SLOTS = 2 ** HEIGHT
/** A tree has at most 2^40 leaves. */
const LAYERS = 10
const HASH = 32
const POSITION = 8
const ID = 16

/** The leaves under a slot of a layer. */
export function leavesUnder(layer: number): number {
  return SLOTS ** layer
}

/** The lowest layer in which one block holds the whole tree. */
export function topLayer(size: number): number {
  let layer = 0
  while (leavesUnder(layer + 1) < size) layer += 1
  return layer
}

/** The key of a block. Its leaves are consecutive. */
export function blockKey(layer: number, index: number): number {
  return layer * 2 ** 40 + index
}

/** Whether a block never changes any more. */
export function isFull({ key, size }: Pick<TreeBlock, 'key' | 'size'>): boolean {
  return (indexOf(key) + 1) * leavesUnder(layerOf(key) + 1) <= size
}

const layerOf = (key: number): number => Math.floor(key / 2 ** 40)
const indexOf = (key: number): number => key % 2 ** 40

/** Where a hash is. */
export interface Place {
  /** The key of the block. */
  readonly key: number
  readonly offset: number
}

/** Where the hash of a complete subtree is. */
export function placeOf({ level, index }: TreeNode): Place {
  const layer = Math.floor(level / HEIGHT)
  const within = level % HEIGHT
  const width = SLOTS / 2 ** within
  // The levels below it have SLOTS, SLOTS / 2, … hashes.
  const before = 2 * SLOTS - 2 * width
  return {
    key: blockKey(layer, Math.floor(index / width)),
    offset: hashesOffset(layer) + (before + (index % width)) * HASH,
  }
}

const hashesOffset = (layer: number): number => SLOTS * (POSITION + (layer === 0 ? ID : 0))
const blockLength = (layer: number): number => hashesOffset(layer) + (2 * SLOTS - 2) * HASH

/** The hash at an offset of a block, without a copy. */
export function hashIn({ buffer, byteOffset }: Uint8Array, offset: number): Buffer {
  return Buffer.from(buffer, byteOffset + offset, HASH)
}

/** Reads the log positions of the first leaves under the slots of a block. */
export function positionsIn(block: Uint8Array): (slot: number) => number {
  const view = viewOf(block)
  return (slot) => view.getFloat64(slot * POSITION)
}

/** The id of an event, a UUID without hyphens as bytes. Only in the lowest layer. */
export function idIn(block: Uint8Array, slot: number): Uint8Array {
  const offset = SLOTS * POSITION + slot * ID
  return block.subarray(offset, offset + ID)
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength)

export interface Leaf {
  readonly hash: Uint8Array
  /** In the log. */
  readonly position: number
  /** A UUID. */
  readonly id: string
}

/** Appends leaves to a stored tree. It holds only the last block of each layer, and the blocks not written yet. */
export class TreeWriter {
  private readonly edge: { index: number; content: Uint8Array }[]
  private touched = new Map<number, Uint8Array>()

  /** @param blocks The last blocks of the tree, by key: those of {@link edgeKeys}. */
  constructor(
    public size: number,
    blocks: ReadonlyMap<number, TreeBlock>,
  ) {
    this.edge = Array.from({ length: LAYERS }, (_, layer) => {
      const index = Math.floor(size / leavesUnder(layer + 1))
      return {
        index,
        content: blocks.get(blockKey(layer, index))?.content.slice() ?? new Uint8Array(blockLength(layer)),
      }
    })
  }

  /** The keys of the blocks that the next leaf of a tree may change. */
  static edgeKeys(size: number): number[] {
    return Array.from({ length: LAYERS }, (_, layer) => blockKey(layer, Math.floor(size / leavesUnder(layer + 1))))
  }

  append({ hash, position, id }: Leaf): void {
    for (let layer = 0; layer < LAYERS && this.size % leavesUnder(layer) === 0; layer++) {
      const slot = this.size / leavesUnder(layer)
      viewOf(this.block(layer, Math.floor(slot / SLOTS))).setFloat64((slot % SLOTS) * POSITION, position)
    }
    this.block(0, Math.floor(this.size / SLOTS)).set(
      Buffer.from(id.replaceAll('-', ''), 'hex'),
      SLOTS * POSITION + (this.size % SLOTS) * ID,
    )
    let node: TreeNode = { level: 0, index: this.size }
    let completed = hash
    this.set(node, completed)
    while (node.index % 2 === 1) {
      completed = nodeOf(this.get({ level: node.level, index: node.index - 1 }), completed)
      node = { level: node.level + 1, index: (node.index - 1) / 2 }
      this.set(node, completed)
    }
    this.size += 1
  }

  /** The blocks changed since the last call. */
  takeChanged(): TreeBlock[] {
    const changed = [...this.touched].map(([key, content]) => ({ key, size: this.size, content }))
    this.touched = new Map()
    return changed
  }

  private get(node: TreeNode): Uint8Array {
    const { key, offset } = placeOf(node)
    return this.block(layerOf(key), indexOf(key)).subarray(offset, offset + HASH)
  }

  private set(node: TreeNode, hash: Uint8Array): void {
    const { key, offset } = placeOf(node)
    this.block(layerOf(key), indexOf(key)).set(hash, offset)
  }

  /** The last block of a layer, to be changed. */
  private block(layer: number, index: number): Uint8Array {
    const edge = this.edge[layer]
    if (!edge) throw new RangeError('The tree is too large')
    if (edge.index !== index) {
      edge.index = index
      edge.content = new Uint8Array(blockLength(layer))
    }
    this.touched.set(blockKey(layer, index), edge.content)
    return edge.content
  }
}
