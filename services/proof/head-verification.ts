import { hashNode, type Hash, sha256 } from './tree-verification.ts'

/**
 * The check of a head's proof that anyone can run, with WebCrypto only, so a browser runs it too. The map is that of
 * head-map.ts: a head's hash is SHA-256(0x02 || key || revision, 8 bytes big-endian || leaf), a branch's
 * SHA-256(0x03 || left || right), and a subtree without streams is 32 bytes of 0.
 *
 * Under one root, each key has one path from the root down, and a path one end: so no two proofs say different things of
 * one stream, whoever made the map.
 */

/** The hash of a stream's name, and what the map has in its place. */
export interface ProvenHead {
  readonly key: Uint8Array
  readonly revision: number
  /** The hash of the leaf of the stream's last event. */
  readonly leaf: Uint8Array
}

/** The key of a stream. */
export async function keyOfStream(stream: string): Promise<Hash> {
  return sha256(new TextEncoder().encode(stream))
}

/**
 * The root to which the proof of a key leads: compare it with the one in the log.
 *
 * @param found What is at the end of the key's path: its own head; another one, or undefined, where it has none.
 * @param siblings From the end of the path up to the root.
 * @returns undefined when this can not be the end of the path.
 */
export async function rootByHead(
  key: Uint8Array,
  found: ProvenHead | undefined,
  siblings: readonly Uint8Array[],
): Promise<Uint8Array | undefined> {
  if (siblings.length > 256 || ![key, ...siblings].every(({ length }) => length === 32)) return undefined
  if (found && !isOnPath(found, key, siblings.length)) return undefined
  let hash: Uint8Array = found ? await hashHead(found) : new Uint8Array(32)
  let depth = siblings.length
  for (const sibling of siblings) {
    depth -= 1
    hash = await (isRight(key, depth) ? hashBranch(sibling, hash) : hashBranch(hash, sibling))
  }
  return hash
}

/** Another key's head shows that a key has none only where their paths are the same. */
function isOnPath({ key: other, revision, leaf }: ProvenHead, key: Uint8Array, length: number): boolean {
  if (other.length !== 32 || leaf.length !== 32 || !Number.isSafeInteger(revision) || revision < 0) return false
  return Array.from({ length }, (_, depth) => isRight(other, depth) === isRight(key, depth)).every(Boolean)
}

function isRight(key: Uint8Array, depth: number): boolean {
  return (((key[depth >> 3] ?? 0) >> (7 - (depth & 7))) & 1) === 1
}

function hashHead({ key, revision, leaf }: ProvenHead): Promise<Hash> {
  const bytes = new Uint8Array(73)
  bytes[0] = 2
  bytes.set(key, 1)
  new DataView(bytes.buffer).setBigUint64(33, BigInt(revision))
  bytes.set(leaf, 41)
  return sha256(bytes)
}

function hashBranch(left: Uint8Array, right: Uint8Array): Promise<Hash> {
  return hashNode(left, right, 3)
}
