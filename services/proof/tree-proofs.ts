import { nodeOf } from './merkle-tree.ts'
import { type HashedSubtree, type KnownLeaf, splitOf, type Subtree, subtreesByMultiProof } from './tree-verification.ts'

/**
 * Which hashes make a proof in a tree by RFC 6962, without the hashes: every proof is a list of subtrees, and every
 * subtree consists of complete ones, which never change and can be stored.
 */

/** A complete subtree: the `index`th of 2^level leaves. */
export interface TreeNode {
  readonly level: number
  readonly index: number
}

/**
 * The multi-proof of some leaves: all maximal subtrees that contain none of them, left to right, found one by one:
 * those of 10,000 leaves are so many that finding all of them at once holds up other requests.
 *
 * @param indexes Ascending.
 * @throws {RangeError} when the tree has no such leaf, or they are not ascending.
 */
export function multiProof(indexes: readonly number[], size: number): Iterable<Subtree> {
  if (indexes.some((index, n) => !(index > (indexes[n - 1] ?? -1) && index < size)))
    throw new RangeError(`These are not ascending leaves of a tree of ${size}`)
  return subtreesBetween(indexes, size)
}

function* subtreesBetween(indexes: readonly number[], size: number): Generator<Subtree> {
  let [next, low] = [0, 0]
  // Where the subtrees that are not finished end: the innermost one is last, and begins at `low`.
  const ends = size > 0 ? [size] : []
  for (let high = ends.at(-1); high !== undefined; high = ends.at(-1)) {
    const index = indexes[next]
    if (index !== undefined && index < high && high - low > 1) {
      ends.push(low + splitOf(high - low))
      continue
    }
    if (index !== undefined && index < high) next += 1
    else yield { low, high }
    low = high
    ends.pop()
  }
}

/**
 * The inclusion path of one leaf, from its sibling up (RFC 6962, 2.1.1).
 *
 * @throws {RangeError} when the tree has no such leaf.
 */
export function inclusionPath(index: number, size: number): Subtree[] {
  if (!(index >= 0 && index < size)) throw new RangeError(`A tree of ${size} has no leaf ${index}`)
  const path: Subtree[] = []
  for (let [low, high] = [0, size]; high - low > 1;) {
    const middle = low + splitOf(high - low)
    path.unshift(index < middle ? { low: middle, high } : { low, high: middle })
    ;[low, high] = index < middle ? [low, middle] : [middle, high]
  }
  return path
}

/**
 * The subtrees that a leaf and its inclusion path show; the last is the whole tree. The path is a multi-proof of one
 * leaf, in another order.
 *
 * @returns undefined for a path of the wrong length, and for a leaf that a tree of `size` does not have.
 */
export async function subtreesByInclusion(
  leaf: KnownLeaf,
  size: number,
  path: readonly Uint8Array[],
): Promise<HashedSubtree[] | undefined> {
  const siblings = leaf.index < size ? inclusionPath(leaf.index, size) : []
  if (siblings.length !== path.length) return undefined
  const leftToRight = path
    .map((hash, n) => ({ hash, low: siblings[n]?.low ?? 0 }))
    .toSorted((one, other) => one.low - other.low)
  const proof = leftToRight.map(({ hash }) => hash)
  return subtreesByMultiProof([leaf], size, proof)
}

/**
 * The proof that a tree of `first` leaves is the beginning of one of `second` (RFC 6962, 2.1.2).
 *
 * @throws {RangeError} when it can't be.
 */
export function consistencyPath(first: number, second: number): Subtree[] {
  if (!(first > 0 && first <= second)) throw new RangeError(`A tree of ${second} has no beginning of ${first}`)
  const path: Subtree[] = []
  let [low, high, isComplete] = [0, second, true]
  while (first < high) {
    const middle = low + splitOf(high - low)
    if (first <= middle) {
      path.unshift({ low: middle, high })
      high = middle
    } else {
      path.unshift({ low, high: middle })
      low = middle
      isComplete = false
    }
  }
  return isComplete ? path : [{ low, high }, ...path]
}

/** A subtree as a node, if it is complete, as nearly all in a proof are. */
export function completeNode({ low, high }: Subtree): TreeNode | undefined {
  const size = high - low
  return low % size === 0 && splitOf(size * 2) === size
    ? { level: Math.round(Math.log2(size)), index: low / size }
    : undefined
}

/** The complete subtrees that a subtree consists of, left to right, largest first. */
export function nodesOf({ low, high }: Subtree): TreeNode[] {
  const nodes: TreeNode[] = []
  for (let from = low; from < high;) {
    let level = 0
    while (from % 2 ** (level + 1) === 0 && from + 2 ** (level + 1) <= high) level += 1
    nodes.push({ level, index: from / 2 ** level })
    from += 2 ** level
  }
  return nodes
}

/** The hash of a subtree from the hashes of its complete ones, left to right. */
export function joinHashes(hashes: readonly Buffer[]): Buffer {
  return hashes.reduceRight((right, left) => nodeOf(left, right))
}
