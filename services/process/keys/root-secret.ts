import { hkdfSync, randomBytes } from 'node:crypto'
import type { KeyStore } from '#infra/key-store/key-store.ts'
import { decryptIfAuthentic, encrypt } from '#services/event-sourcing/crypto-shredding/cipher.ts'

/**
 * All keys of an installation are derived from one root secret. The key store holds it, wrapped by the master key, so
 * that the master key can be rotated without changing anything else. docs/decisions/017-master-key.md
 */

/** The entries of the key store that belong to the installation, not to a person. */
export const ROOT_KEY_ID = 'root'
export const INSTALLATION_KEY_ID = 'installation'

/** A stored root secret: how often its master key was rotated, which root it is, and the wrapped secret. */
interface RootEntry {
  readonly rotations: number
  /** Identifies the root without revealing it. */
  readonly name: Buffer
  readonly wrapped: Buffer
}

/** An unwrapped root secret. */
export interface UnwrappedRoot {
  readonly secret: Uint8Array
  readonly rotations: number
  /** The key that unwraps it. */
  readonly masterKey: string
  /** As it is stored. */
  readonly entry: Uint8Array
}

const FORMAT = 1
const NAME = 16
const HEAD = 1 + 4 + NAME

/**
 * Unwraps the root secret with one of these master keys, and creates it, from 32 random bytes, in a new installation.
 * Of several concurrent creations the store keeps one. Returns undefined when none of the keys is valid.
 */
export async function unwrapRootSecret(
  store: KeyStore,
  masterKeys: readonly string[],
): Promise<UnwrappedRoot | undefined> {
  // In this order: the root is created first, so an installation key without a root means that it was lost.
  const installation = await readEntry(store, INSTALLATION_KEY_ID)
  const entry =
    (await readEntry(store, ROOT_KEY_ID)) ?? (await createRootEntry(store, masterKeys[0], installation !== undefined))
  if (entry === undefined) return undefined
  for (const masterKey of masterKeys) {
    const secret = decryptIfAuthentic(
      deriveWrappingKey(masterKey),
      parseEntry(entry).wrapped,
      wrappingContext(parseEntry(entry)),
    )
    if (secret) return { secret, masterKey, entry, rotations: parseEntry(entry).rotations }
  }
  return undefined
}

/** Wraps a root secret with another master key. Returns false when the stored entry has changed meanwhile. */
export function rewrapRootSecret(
  store: KeyStore,
  { secret, rotations, entry }: UnwrappedRoot,
  masterKey: string,
): Promise<boolean> {
  return store.replace(ROOT_KEY_ID, entry, wrapRootSecret(secret, rotations + 1, masterKey))
}

/** Whether an entry is the same root as another, from before a rotation of its master key. */
export function isEarlierRoot(entry: Uint8Array, later: Uint8Array): boolean {
  const [earlier, current] = [parseEntry(entry), parseEntry(later)]
  return earlier.name.equals(current.name) && earlier.rotations < current.rotations
}

async function createRootEntry(
  store: KeyStore,
  masterKey: string | undefined,
  isLost: boolean,
): Promise<Uint8Array | undefined> {
  if (isLost) throw new Error(`The key '${ROOT_KEY_ID}' is missing in the key store, which must never happen`)
  if (masterKey === undefined) return undefined
  const stored = await store.add(ROOT_KEY_ID, wrapRootSecret(randomBytes(32), 0, masterKey))
  return stored.isDestroyed ? throwDestroyed(ROOT_KEY_ID) : stored.wrapped
}

/** Its length depends on the root secret only, so that a rotated entry overwrites the old one in place. */
function wrapRootSecret(secret: Uint8Array, rotations: number, masterKey: string): Buffer {
  const name = Buffer.from(hkdfSync('sha256', secret, 'proofdesk', 'name of the root secret', NAME))
  const head = encodeHead({ rotations, name })
  return Buffer.concat([head, encrypt(deriveWrappingKey(masterKey), secret, wrappingContext({ rotations, name }))])
}

function encodeHead({ rotations, name }: Pick<RootEntry, 'rotations' | 'name'>): Buffer {
  const head = Buffer.alloc(HEAD - NAME)
  head.writeUInt8(FORMAT)
  head.writeUInt32BE(rotations, 1)
  return Buffer.concat([head, name])
}

/** Authenticates the fields beside the wrapped secret. */
const wrappingContext = (entry: Pick<RootEntry, 'rotations' | 'name'>): string =>
  `${ROOT_KEY_ID} ${encodeHead(entry).toString('hex')}`

function parseEntry(entry: Uint8Array): RootEntry {
  const bytes = Buffer.from(entry)
  if (bytes.length <= HEAD || bytes[0] !== FORMAT)
    throw new Error('The root secret in the key store is of another version of the program')
  return { rotations: bytes.readUInt32BE(1), name: bytes.subarray(HEAD - NAME, HEAD), wrapped: bytes.subarray(HEAD) }
}

const deriveWrappingKey = (masterKey: string) =>
  new Uint8Array(hkdfSync('sha256', masterKey, 'proofdesk', 'sealing of the root secret', 32))

async function readEntry(store: KeyStore, id: string): Promise<Uint8Array | undefined> {
  const stored = (await store.get([id])).get(id)
  return stored?.isDestroyed ? throwDestroyed(id) : stored?.wrapped
}

function throwDestroyed(id: string): never {
  throw new Error(`The key '${id}' is destroyed in the key store, which must never happen`)
}
