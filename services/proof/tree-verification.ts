/**
 * The checks of the tree over the log that anyone can run: RFC 6962 proofs, with WebCrypto only, so a browser runs them
 * too.
 *
 * Each event is a leaf, in log order. A leaf's hash is SHA-256(0x00 || entry), a node's SHA-256(0x01 || left || right).
 */

/** 32 bytes of SHA-256. */
export type Hash = Uint8Array<ArrayBuffer>

/** A leaf whose hash the reader computed from the event itself. */
export interface KnownLeaf {
  /** 0-based, in log order. */
  readonly index: number
  readonly hash: Uint8Array
}

/** A tree of the first `size` events. */
export interface TreeHead {
  readonly size: number
  readonly root: Uint8Array
}

/** The subtree over the leaves from `low` up to, not including, `high`. */
export interface Subtree {
  readonly low: number
  readonly high: number
}

export interface HashedSubtree extends Subtree {
  readonly hash: Uint8Array
}

/** The hash of an entry's leaf. The entry of an event is the text of `leafText`. */
export async function hashLeaf(entry: string): Promise<Hash> {
  return sha256(new TextEncoder().encode(`\0${entry}`))
}

/** The hash of a node over two others. @param prefix What it begins with: 1 in a tree by RFC 6962. */
export async function hashNode(left: Uint8Array, right: Uint8Array, prefix = 1): Promise<Hash> {
  const bytes = new Uint8Array(65)
  bytes[0] = prefix
  bytes.set(left, 1)
  bytes.set(right, 33)
  return sha256(bytes)
}

/** SHA-256. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Hash> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** The largest power of two below a size of at least 2: where RFC 6962 splits a tree. */
export function splitOf(size: number): number {
  if (size <= 2 ** 31) return 2 ** (31 - Math.clz32(size - 1))
  let split = 2 ** 30
  while (split * 2 < size) split *= 2
  return split
}

/** Whether two hashes are the same. */
export function isSameHash(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, n) => byte === b[n])
}

/**
 * The root of a tree of `size` that known leaves and a multi-proof lead to: compare it with the root of a signed
 * checkpoint.
 *
 * @param leaves At least one, in ascending order of index.
 * @param proof The hashes of all maximal subtrees without a known leaf, left to right.
 * @returns undefined when the proof is not one for these leaves: wrong order, too few hashes, too many, or of a wrong
 * length.
 */
export async function rootByMultiProof(
  leaves: readonly KnownLeaf[],
  size: number,
  proof: readonly Uint8Array[],
): Promise<Uint8Array | undefined> {
  return (await subtreesByMultiProof(leaves, size, proof))?.at(-1)?.hash
}

/** The same, with all subtrees that the leaves and the proof show; the last is the whole tree. */
export async function subtreesByMultiProof(
  leaves: readonly KnownLeaf[],
  size: number,
  proof: readonly Uint8Array[],
): Promise<HashedSubtree[] | undefined> {
  const isAscending = leaves.every(
    ({ index }, n) => Number.isSafeInteger(index) && index > (leaves[n - 1]?.index ?? -1),
  )
  if (!Number.isSafeInteger(size) || leaves.length === 0 || !isAscending || (leaves.at(-1)?.index ?? size) >= size)
    return undefined
  if (![...proof, ...leaves.map(({ hash }) => hash)].every(({ length }) => length === 32)) return undefined
  let [nextLeaf, nextHash] = [0, 0]
  // Hashes are taken from the list in order, before the first one is computed; the computing then runs side by side.
  const hashOf = (low: number, high: number): Promise<Uint8Array> | Uint8Array | undefined => {
    const leaf = leaves[nextLeaf]
    if (!leaf || leaf.index >= high) return proof[nextHash++]
    if (high - low === 1) {
      nextLeaf += 1
      return leaf.hash
    }
    const middle = low + splitOf(high - low)
    const [left, right] = [visit(low, middle), visit(middle, high)]
    return left && right && Promise.all([left, right]).then(([one, two]) => hashNode(one, two))
  }
  const subtrees: Promise<HashedSubtree>[] = []
  const visit = (low: number, high: number) => {
    const hash = hashOf(low, high)
    if (hash) subtrees.push((async () => ({ low, high, hash: await hash }))())
    return hash
  }
  return visit(0, size) && nextHash === proof.length ? Promise.all(subtrees) : undefined
}

/** Whether a tree is the beginning of a larger one (RFC 9162, 2.1.4.2). */
export async function isConsistent(first: TreeHead, second: TreeHead, path: readonly Uint8Array[]): Promise<boolean> {
  if (
    ![first.size, second.size].every(Number.isSafeInteger) ||
    ![first.root, second.root, ...path].every(({ length }) => length === 32)
  )
    return false
  if (first.size === second.size) return path.length === 0 && isSameHash(first.root, second.root)
  if (!(first.size > 0 && first.size < second.size)) return false
  let [node, last] = [first.size - 1, second.size - 1]
  while (node % 2 === 1) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
  // A size that is a power of two has its root in the larger tree.
  const hashes = node === 0 ? [first.root, ...path] : [...path]
  const begin = hashes.shift()
  if (begin === undefined) return false
  let [one, two] = [begin, begin]
  for (const next of hashes) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      one = await hashNode(next, one)
      two = await hashNode(next, two)
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)]
    } else two = await hashNode(two, next)
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && isSameHash(one, first.root) && isSameHash(two, second.root)
}
