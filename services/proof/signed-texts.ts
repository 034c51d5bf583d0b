import { sha256 } from './tree-verification.ts'

/**
 * The texts that are hashed and signed in seals and exports, and their hashes and signatures. They use only WebCrypto,
 * so a browser checks them too.
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
  /** The version of the shape of its data, from the event's metadata. Readers of the data need it. */
  readonly version: number
  readonly dataHash: string
  readonly metadataHash: string
}

export interface PublicKey {
  readonly id: string
  /** Raw, base64. */
  readonly publicKey: string
}

/** The text of an event's leaf. JSON of a list of numbers and texts is the same everywhere. */
export function leafText(event: SealedEvent): string {
  const { position, stream, revision, id, type, at, version, dataHash, metadataHash } = event
  return JSON.stringify([position, stream, revision, id, type, at, version, dataHash, metadataHash])
}

/** The text that a sealing key signs to name its successor. */
export function endorsementText(before: string, { id, publicKey }: PublicKey): string {
  return JSON.stringify(['proofdesk sealing key 1', before, id, publicKey])
}

/** SHA-256 of a text, hex. */
export async function textHash(text: string): Promise<string> {
  return toHex(await sha256(new TextEncoder().encode(text)))
}

/** Bytes as hex. */
function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Whether a key has signed a text. */
export async function isSigned(text: string, signature: string, { publicKey }: PublicKey): Promise<boolean> {
  const bytes = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  try {
    const key = await crypto.subtle.importKey('raw', bytes(publicKey), { name: 'Ed25519' }, false, ['verify'])
    return await crypto.subtle.verify({ name: 'Ed25519' }, key, bytes(signature), new TextEncoder().encode(text))
  } catch (error) {
    if (error instanceof Error && error.name === 'NotSupportedError')
      throw new Error('This browser can not check Ed25519 signatures', { cause: error })
    return false
  }
}

/** The id of a public key by which readers trust it: 128 bits of its hash, so that no two keys of one id are found. */
export async function keyIdOf(publicKey: string): Promise<string> {
  return toHex(await sha256(Uint8Array.from(atob(publicKey), (character) => character.charCodeAt(0)))).slice(0, 32)
}

/** The id of a key in events and files: the first 64 of these bits. */
export function shortKeyId(id: string): string {
  return id.slice(0, 16)
}

/** Whether a reader trusts a key: by its id, or by the short one, which is what 0.2.0 showed. */
export function isTrustedKey(id: string, trusted: readonly string[]): boolean {
  return trusted.includes(id) || trusted.includes(shortKeyId(id))
}
