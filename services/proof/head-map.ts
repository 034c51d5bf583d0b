import { hash } from 'node:crypto'

/**
 * The map from every stream of the log to its head: the revision of its last event, and that event's leaf in the tree.
 * It is a sparse Merkle tree over SHA-256 of the streams' names, so a proof names no other stream. A subtree without
 * streams is {@link EMPTY}, one with a single stream is the hash of that stream's head, and any other is the hash of its
 * two halves. docs/decisions/039-stream-heads.md; what anyone checks is in head-verification.ts.
 *
 * A map never changes: setting a head returns another one that shares all other nodes, so an earlier one can be proven
 * from while a later one is made.
 */

/** 32 bytes as a text of 32 characters below 256, which takes half the memory of hex. */
export type Bytes = string & { readonly [kind]: 'Bytes' }
declare const kind: unique symbol

/** The end of a stream. */
export interface StreamHead {
  readonly revision: number
  /** The hash of the leaf of its last event. */
  readonly leaf: Bytes
}

/** A head under the hash of its stream's name. */
export interface KeyedHead extends StreamHead {
  readonly key: Bytes
}

/** A proof of what a map has under a key: its head, or that there is none. */
export interface HeadProof {
  /** The only head of the subtree that the path ends in; undefined where that is empty. */
  readonly head: KeyedHead | undefined
  /** The hashes beside the path, from its end up to the root. */
  readonly siblings: readonly Buffer[]
}

export interface HeadMap {
  readonly root: Node | undefined
  readonly streams: number
}

type Node = KeyedHead | Branch

/** Two halves, of which at most one is empty; never one with a single head beside an empty one. */
class Branch {
  private computed: Bytes | undefined
  constructor(
    readonly left: Node | undefined,
    readonly right: Node | undefined,
  ) {}

  hash(): Bytes {
    return (this.computed ??= branchHash(hashOf(this.left), hashOf(this.right)))
  }
}

/** The hash of a subtree without streams. */
export const EMPTY = toBytes(Buffer.alloc(32))

export const emptyMap: HeadMap = { root: undefined, streams: 0 }

/** Bytes of a key or hash. @throws {RangeError} for others than 32. */
export function toBytes(bytes: Uint8Array): Bytes {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  if (!is32Long(text)) throw new RangeError('A hash has 32 bytes')
  return text
}

function is32Long(text: string): text is Bytes {
  return text.length === 32
}

export function fromBytes(bytes: Bytes): Buffer {
  return Buffer.from(bytes, 'latin1')
}

/** The key of a stream. */
export function keyOf(stream: string): Bytes {
  return sha256(stream)
}

function sha256(content: string | Uint8Array): Bytes {
  const text = hash('sha256', content, 'binary')
  if (!is32Long(text)) throw new RangeError('A hash has 32 bytes')
  return text
}

/** The head under a key. */
export function headIn({ root }: HeadMap, key: Bytes): KeyedHead | undefined {
  let node = root
  for (let depth = 0; node instanceof Branch; depth++) node = isRight(key, depth) ? node.right : node.left
  return node?.key === key ? node : undefined
}

/** The map with this head in place of the one of its stream, or beside all others. */
export function withHead({ root, streams }: HeadMap, head: KeyedHead): HeadMap {
  const before = headIn({ root, streams }, head.key)
  return { root: put(root, head, 0), streams: before ? streams : streams + 1 }
}

function put(node: Node | undefined, head: KeyedHead, depth: number): Node {
  if (!node || (!(node instanceof Branch) && node.key === head.key)) return head
  const [left, right] =
    node instanceof Branch ? [node.left, node.right] : isRight(node.key, depth) ? [undefined, node] : [node, undefined]
  return isRight(head.key, depth)
    ? new Branch(left, put(right, head, depth + 1))
    : new Branch(put(left, head, depth + 1), right)
}

/** The heads whose keys begin with the same bits, as part of a map. */
export type Subtree = Node | undefined

/**
 * The subtree of heads whose keys begin with some bits, of which `index` is the number, made and hashed at once: one
 * after another, each would make all nodes above it anew.
 *
 * @param heads In the order of their keys, each key once: undefined otherwise, and with a key that begins otherwise.
 */
export function subtreeOf(
  heads: readonly KeyedHead[],
  bits: number,
  index: number,
): { readonly subtree: Subtree } | undefined {
  const isInOrder = heads.every(({ key }, n) => n === 0 || key > (heads[n - 1]?.key ?? key))
  // In order, all others begin as the first and the last do.
  if (!isInOrder || [heads[0], heads.at(-1)].some((head) => head && !isUnder(head.key, bits, index))) return undefined
  const build = (from: number, to: number, depth: number): Node | undefined => {
    if (to - from < 2) return heads[from]
    let [low, high] = [from, to]
    while (low < high) {
      const middle = (low + high) >> 1
      const head = heads[middle]
      if (head && isRight(head.key, depth)) high = middle
      else low = middle + 1
    }
    return new Branch(
      low > from ? build(from, low, depth + 1) : undefined,
      low < to ? build(low, to, depth + 1) : undefined,
    )
  }
  const subtree = heads.length > 0 ? build(0, heads.length, bits) : undefined
  hashOf(subtree)
  return { subtree }
}

/** The map of all its subtrees under some bits, in the order of those bits, with so many heads in all. */
export function mapOf(subtrees: readonly Subtree[], streams: number): HeadMap {
  let nodes = subtrees
  while (nodes.length > 1)
    nodes = Array.from({ length: nodes.length / 2 }, (_, n) => joined(nodes[2 * n], nodes[2 * n + 1]))
  return { root: nodes[0], streams }
}

function joined(left: Node | undefined, right: Node | undefined): Node | undefined {
  if (!right && !(left instanceof Branch)) return left
  if (!left && !(right instanceof Branch)) return right
  return new Branch(left, right)
}

/** The hash of the whole map. */
export function rootOf({ root }: HeadMap): Buffer {
  return fromBytes(hashOf(root))
}

/** Returns the entry of the map under a key, with the proof. */
export function proveHead({ root }: HeadMap, key: Bytes): HeadProof {
  const siblings: Buffer[] = []
  let node = root
  for (let depth = 0; node instanceof Branch; depth++) {
    const right = isRight(key, depth)
    siblings.unshift(fromBytes(hashOf(right ? node.left : node.right)))
    node = right ? node.right : node.left
  }
  return { head: node, siblings }
}

/** The heads whose keys begin with some bits, of which `index` is the number, in the order of their keys. */
export function headsUnder({ root }: HeadMap, bits: number, index: number): Generator<KeyedHead> {
  return headsOf(subtreeAt(root, bits, index))
}

/** Whether two maps, of which one was made of the other, have the same heads there. */
export function isSameUnder(one: HeadMap, other: HeadMap, bits: number, index: number): boolean {
  return subtreeAt(one.root, bits, index) === subtreeAt(other.root, bits, index)
}

function subtreeAt(root: Node | undefined, bits: number, index: number): Node | undefined {
  let node = root
  for (let depth = 0; depth < bits; depth++) {
    const right = ((index >> (bits - 1 - depth)) & 1) === 1
    if (node instanceof Branch) node = right ? node.right : node.left
    else if (node && isRight(node.key, depth) !== right) return undefined
  }
  return node
}

function* headsOf(node: Node | undefined): Generator<KeyedHead> {
  if (node instanceof Branch) {
    yield* headsOf(node.left)
    yield* headsOf(node.right)
  } else if (node) yield node
}

function isUnder(key: Bytes, bits: number, index: number): boolean {
  for (let depth = 0; depth < bits; depth++)
    if (isRight(key, depth) !== (((index >> (bits - 1 - depth)) & 1) === 1)) return false
  return true
}

/** Whether a key is in the right half of a subtree at this depth. */
function isRight(key: Bytes, depth: number): boolean {
  return ((key.charCodeAt(depth >> 3) >> (7 - (depth & 7))) & 1) === 1
}

function hashOf(node: Node | undefined): Bytes {
  if (!node) return EMPTY
  return node instanceof Branch ? node.hash() : leafHash(node)
}

/** The tree over the log has 0 and 1 in front of what it hashes. */
const HEAD_PREFIX = 2
const BRANCH_PREFIX = 3

const headBytes = Buffer.alloc(73, HEAD_PREFIX)
const branchBytes = Buffer.alloc(65, BRANCH_PREFIX)

function leafHash({ key, revision, leaf }: KeyedHead): Bytes {
  headBytes.write(key, 1, 'latin1')
  // Two halves: a BigInt for each of a million heads takes longer than their hashes.
  headBytes.writeUInt32BE(Math.floor(revision / 2 ** 32), 33)
  headBytes.writeUInt32BE(revision % 2 ** 32, 37)
  headBytes.write(leaf, 41, 'latin1')
  return sha256(headBytes)
}

function branchHash(left: Bytes, right: Bytes): Bytes {
  branchBytes.write(left, 1, 'latin1')
  branchBytes.write(right, 33, 'latin1')
  return sha256(branchBytes)
}
