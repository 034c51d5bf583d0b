import { GrowingMerkleTree, nodeOf } from '../services/proof/merkle-tree.ts'
import { joinHashes, nodesOf, type TreeNode } from '../services/proof/tree-proofs.ts'
import { splitOf, type Subtree } from '../services/proof/tree-verification.ts'

/** A complete tree in memory by RFC 6962, to hold the stored tree and its proofs against. */
export class MerkleTree {
  /** Its levels from the leaves up; a last node without a partner moves up unchanged. */
  private readonly levels: (readonly Uint8Array[])[]

  constructor(leaves: readonly Uint8Array[]) {
    this.levels = [leaves]
    for (let level = leaves; level.length > 1;) {
      const above: Uint8Array[] = []
      for (let n = 0; n < level.length; n += 2) {
        const [left, right] = [level[n], level[n + 1]]
        if (left) above.push(right ? nodeOf(left, right) : left)
      }
      this.levels.push(above)
      level = above
    }
  }

  get leaves(): readonly Uint8Array[] {
    return this.levels[0] ?? []
  }

  get size(): number {
    return this.leaves.length
  }

  root(): Buffer {
    const top = this.levels.at(-1)?.[0]
    return top ? Buffer.from(top) : new GrowingMerkleTree().root()
  }

  /** The hashes that lead from a leaf to the root. @throws {RangeError} when there is no such leaf. */
  inclusion(index: number): Buffer[] {
    if (!(index >= 0 && index < this.size)) throw new RangeError(`A tree of ${this.size} has no leaf ${index}`)
    return this.levels.flatMap((level, height) => {
      const sibling = level[Math.floor(index / 2 ** height) ^ 1]
      return sibling && height < this.levels.length - 1 ? [Buffer.from(sibling)] : []
    })
  }

  /** The hashes that prove that a tree of the first `size` leaves is its beginning. @throws {RangeError} when it has no such beginning. */
  consistency(size: number): Buffer[] {
    if (!(size > 0 && size <= this.size)) throw new RangeError(`A tree of ${this.size} has no beginning of ${size}`)
    return this.subproof(size, 0, this.size, true)
  }

  /** RFC 6962, 2.1.2. */
  private subproof(size: number, from: number, to: number, isComplete: boolean): Buffer[] {
    if (size === to - from) return isComplete ? [] : [this.rootOf(from, to)]
    const half = splitOf(to - from)
    return size <= half
      ? [...this.subproof(size, from, from + half, isComplete), this.rootOf(from + half, to)]
      : [...this.subproof(size - half, from + half, to, false), this.rootOf(from, from + half)]
  }

  private rootOf(from: number, to: number): Buffer {
    const growing = new GrowingMerkleTree()
    for (let n = from; n < to; n++) {
      const leaf = this.levels[0]?.[n]
      if (leaf) growing.append(leaf)
    }
    return growing.root()
  }
}

/** The hash of a subtree, where those of its complete ones can be had at once. */
export function hashOfSubtree(subtree: Subtree, hashOf: (node: TreeNode) => Uint8Array): Buffer {
  return joinHashes(nodesOf(subtree).map((node) => Buffer.from(hashOf(node))))
}
