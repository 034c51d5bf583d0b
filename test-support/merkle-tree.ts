import { createHash } from 'node:crypto'
import { nodeOf } from '#services/proof/merkle-tree.ts'
import { joinHashes, nodesOf, type TreeNode } from '#services/proof/tree-proofs.ts'
import { splitOf, type Subtree } from '#services/proof/tree-verification.ts'

/** A tree in the words of RFC 6962 (2.1), to compare the stored tree and its proofs with. */
export class MerkleTree {
  constructor(readonly leaves: readonly Uint8Array[]) {}

  root(): Buffer {
    return rootOf(this.leaves)
  }

  /** The hashes that lead from a leaf to the root. @throws {RangeError} when there is no such leaf. */
  inclusion(index: number): Buffer[] {
    if (!(index >= 0 && index < this.leaves.length))
      throw new RangeError(`A tree of ${this.leaves.length} has no leaf ${index}`)
    return pathOf(index, this.leaves)
  }

  /**
   * The hashes that prove that a tree of the first `size` leaves is its beginning.
   *
   * @throws {RangeError} when it has no such beginning.
   */
  consistency(size: number): Buffer[] {
    if (!(size > 0 && size <= this.leaves.length))
      throw new RangeError(`A tree of ${this.leaves.length} has no beginning of ${size}`)
    return proofOf(size, this.leaves, true)
  }
}

function halvesOf(leaves: readonly Uint8Array[]) {
  const half = splitOf(leaves.length)
  return [leaves.slice(0, half), leaves.slice(half)] as const
}

function rootOf(leaves: readonly Uint8Array[]): Buffer {
  const [leaf] = leaves
  if (!leaf) return createHash('sha256').digest()
  if (leaves.length === 1) return Buffer.from(leaf)
  const [left, right] = halvesOf(leaves)
  return nodeOf(rootOf(left), rootOf(right))
}

function pathOf(index: number, leaves: readonly Uint8Array[]): Buffer[] {
  if (leaves.length === 1) return []
  const [left, right] = halvesOf(leaves)
  return index < left.length
    ? [...pathOf(index, left), rootOf(right)]
    : [...pathOf(index - left.length, right), rootOf(left)]
}

function proofOf(size: number, leaves: readonly Uint8Array[], isBeginning: boolean): Buffer[] {
  if (size === leaves.length) return isBeginning ? [] : [rootOf(leaves)]
  const [left, right] = halvesOf(leaves)
  return size <= left.length
    ? [...proofOf(size, left, isBeginning), rootOf(right)]
    : [...proofOf(size - left.length, right, false), rootOf(left)]
}

/** The hash of a subtree, where those of its complete ones can be had at once. */
export function hashOfSubtree(subtree: Subtree, hashOf: (node: TreeNode) => Uint8Array): Buffer {
  return joinHashes(nodesOf(subtree).map((node) => Buffer.from(hashOf(node))))
}
