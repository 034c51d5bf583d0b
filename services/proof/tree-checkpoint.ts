import type { TreeHead } from './tree-verification.ts'

/**
 * Tree checkpoints: the signed head of the tree over the log. They are C2SP signed notes with the body of
 * tlog-checkpoint (c2sp.org/signed-note, c2sp.org/tlog-checkpoint), signed with Ed25519. WebCrypto only, so a browser
 * reads them too.
 */

/** A tree checkpoint is a signed head of the tree. */
export interface TreeCheckpoint extends TreeHead {
  /** The name of the log, such as `portal.example/log`. It is the name of the key too. */
  readonly origin: string
  /** The text that the signatures cover. */
  readonly body: string
  readonly signatures: readonly NoteSignature[]
}

export interface NoteSignature {
  /** The name of the key. */
  readonly name: string
  /** The first four bytes of the hash of key name and key. */
  readonly keyId: Uint8Array
  readonly signature: Uint8Array<ArrayBuffer>
}

/** The text that a tree checkpoint signs. */
export function checkpointBody({ origin, size, root }: Pick<TreeCheckpoint, 'origin' | 'size' | 'root'>): string {
  return `${origin}\n${size}\n${toBase64(root)}\n`
}

/** The note of a body and its signature by the log's key. */
export async function checkpointNote(body: string, publicKey: string, signature: Uint8Array): Promise<string> {
  const [origin = ''] = body.split('\n', 1)
  return `${body}\n\u2014 ${origin} ${toBase64(new Uint8Array([...(await noteKeyId(origin, publicKey)), ...signature]))}\n`
}

/**
 * A body of exactly three lines: extension lines are not recommended, and we write none. The log and up to 63 witnesses
 * sign it. Names are printable ASCII: the verifier shows them in a sentence, which others must not break.
 */
const NOTE =
  /^([!-*,-~]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n\n((?:\u2014 [!-*,-~]+ [A-Za-z0-9+/]+={0,2}\n){1,64})$/u

/** Reads a note strictly, in the only form in which it can be written. @throws {Error} for anything else. */
export function parseCheckpoint(note: string): TreeCheckpoint {
  const parts = NOTE.exec(note)
  const [, origin = '', sizeText = '', rootText = '', signatureLines = ''] = parts ?? []
  if (!parts || !Number.isSafeInteger(Number(sizeText))) throw new Error('This is not a checkpoint of a log')
  const signatures = signatureLines
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, name = '', text = ''] = line.split(' ')
      const bytes = fromBase64(text)
      if (bytes.length < 5) throw new Error('A signature of the checkpoint is too short')
      return { name, keyId: bytes.slice(0, 4), signature: bytes.slice(4) }
    })
  return {
    origin,
    size: Number(sizeText),
    root: fromBase64(rootText),
    body: note.slice(0, note.indexOf('\n\n') + 1),
    signatures,
  }
}

/** The note as the log signed it, without the signatures of others. The log's own signature is the first. */
export function ownNote(note: string): string {
  return note.split('\n').slice(0, 5).join('\n') + '\n'
}

/**
 * Whether the log's key signed a checkpoint under its origin. `publicKey` is raw, base64. Signatures of others do not
 * matter.
 */
export async function isCheckpointSigned(
  { origin, body, signatures }: TreeCheckpoint,
  publicKey: string,
): Promise<boolean> {
  const id = await noteKeyId(origin, publicKey)
  const own = signatures.filter(({ name, keyId }) => name === origin && keyId.every((byte, n) => byte === id[n]))
  if (own.length === 0) return false
  const key = await crypto.subtle.importKey('raw', fromBase64(publicKey), { name: 'Ed25519' }, false, ['verify'])
  const text = new TextEncoder().encode(body)
  return (
    await Promise.all(own.map(({ signature }) => crypto.subtle.verify({ name: 'Ed25519' }, key, signature, text)))
  ).every(Boolean)
}

/** SHA-256(key name || 0x0A || 0x01 || public key), the first four bytes. */
async function noteKeyId(name: string, publicKey: string): Promise<Uint8Array> {
  const bytes = new Uint8Array([...new TextEncoder().encode(`${name}\n`), 1, ...fromBase64(publicKey)])
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).slice(0, 4)
}

/** Bytes in base64. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

/** The bytes of a base64 text in its only form, with padding. @throws {Error} for anything else. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  if (toBase64(bytes) !== text) throw new Error('This is not base64')
  return bytes
}
