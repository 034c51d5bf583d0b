/**
 * The texts and hashes that seals and exports share. They use only WebCrypto, so a browser computes them too.
 *
 * Hashing is RFC 6962's: a leaf is SHA-256(0x00 || bytes), a node SHA-256(0x01 || left || right).
 */

/** An event as in its leaf. Hashes are SHA-256, hex, over the stored texts. */
export interface SealedEvent {
  readonly position: string
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly type: string
  /** Ms since 1970, from the event's metadata. */
  readonly at: number
  readonly dataHash: string
  readonly metadataHash: string
}

/** A signed statement that the log between two positions was these events, in this order. */
export interface Seal {
  readonly number: number
  readonly first: string
  readonly last: string
  readonly count: number
  /** Merkle root over the events' leaves. */
  readonly root: string
  /** Hash of the seal before, null for the first. */
  readonly previous: string | null
  readonly sealedAt: number
  readonly keyId: string
  /** Merkle root over all seals up to this one, without their histories. */
  readonly history: string
  /** Ed25519 over {@link signedText}, base64. */
  readonly signature: string
}

export interface PublicKey {
  readonly id: string
  /** Raw, base64. */
  readonly publicKey: string
}

/** The text of an event's leaf. JSON of a list of numbers and texts is the same everywhere. */
export function leafText({ position, stream, revision, id, type, at, dataHash, metadataHash }: SealedEvent): string {
  return JSON.stringify([position, stream, revision, id, type, at, dataHash, metadataHash])
}

/** The text of a seal's leaf in the history of seals. */
export function sealText({ number, first, last, count, root, previous, sealedAt, keyId }: Omit<Seal, 'history' | 'signature'>): string {
  return JSON.stringify(['proofdesk seal 1', number, first, last, count, root, previous, sealedAt, keyId])
}

/** The text that a seal's signature covers, and whose hash the next seal names. */
export function signedText(seal: Omit<Seal, 'signature'>): string {
  return JSON.stringify([sealText(seal), seal.history])
}

/** The text that a sealing key signs to name its successor. */
export function endorsementText(before: string, { id, publicKey }: PublicKey): string {
  return JSON.stringify(['proofdesk sealing key 1', before, id, publicKey])
}

/** SHA-256. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** SHA-256 of a text, hex. */
export async function textHash(text: string): Promise<string> {
  return toHex(await sha256(new TextEncoder().encode(text)))
}

/** Hash of a leaf with this text, hex. */
export async function leafHash(text: string): Promise<string> {
  return textHash(`\0${text}`)
}

/** Hash of a node over two others, hex. */
export async function nodeHash(left: string, right: string): Promise<string> {
  const bytes = new Uint8Array(65)
  bytes[0] = 1
  bytes.set(fromHex(left), 1)
  bytes.set(fromHex(right), 33)
  return toHex(await sha256(bytes))
}

/** Bytes as hex. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The bytes of a hash in hex. @throws {Error} for anything else. */
export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new Error('a hash is not written as one')
  return Uint8Array.from({ length: 32 }, (_, n) => Number.parseInt(hex.slice(n * 2, n * 2 + 2), 16))
}

/** The root that a leaf at this index of a tree of this size leads to (RFC 9162, 2.1.3.2); undefined for a path of the wrong length. */
export async function rootByInclusion(leaf: string, index: number, size: number, path: readonly string[]): Promise<string | undefined> {
  if (!(Number.isSafeInteger(index) && Number.isSafeInteger(size) && index >= 0 && index < size)) return undefined
  let [node, last] = [index, size - 1]
  let hash = leaf
  for (const next of path) {
    if (last === 0) return undefined
    if (node % 2 === 1 || node === last) {
      hash = await nodeHash(next, hash)
      while (node % 2 === 0 && node !== 0) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
    } else hash = await nodeHash(hash, next)
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 ? hash : undefined
}

/** Whether a tree of a size is the beginning of a larger one (RFC 9162, 2.1.4.2). */
export async function isConsistent(
  first: { readonly size: number; readonly root: string },
  second: { readonly size: number; readonly root: string },
  path: readonly string[],
): Promise<boolean> {
  if (first.size === second.size) return path.length === 0 && first.root === second.root
  if (!(first.size > 0 && first.size < second.size)) return false
  let [node, last] = [first.size - 1, second.size - 1]
  while (node % 2 === 1) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
  // A size that is a power of two has its root in the larger tree.
  const hashes = node === 0 ? [first.root, ...path] : [...path]
  const start = hashes.shift()
  if (start === undefined) return false
  let [one, two] = [start, start]
  for (const next of hashes) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      one = await nodeHash(next, one)
      two = await nodeHash(next, two)
      while (node % 2 === 0 && node !== 0) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)]
    } else two = await nodeHash(two, next)
    node = Math.floor(node / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && one === first.root && two === second.root
}

/** Whether a key has signed a text. */
export async function isSigned(text: string, signature: string, { publicKey }: PublicKey): Promise<boolean> {
  const bytes = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  try {
    const key = await crypto.subtle.importKey('raw', bytes(publicKey), { name: 'Ed25519' }, false, ['verify'])
    return await crypto.subtle.verify({ name: 'Ed25519' }, key, bytes(signature), new TextEncoder().encode(text))
  } catch (error) {
    if (error instanceof Error && error.name === 'NotSupportedError') throw new Error('This browser can not check Ed25519 signatures', { cause: error })
    return false
  }
}

/** The id of a public key: the beginning of its hash. */
export async function keyIdOf(publicKey: string): Promise<string> {
  return toHex(await sha256(Uint8Array.from(atob(publicKey), (character) => character.charCodeAt(0)))).slice(0, 16)
}
