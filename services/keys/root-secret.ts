import { hkdfSync, randomBytes } from 'node:crypto'
import type { KeyStore } from '../../infra/key-store/key-store.ts'
import { decrypt, encrypt } from '../event-sourcing/crypto-shredding/cipher.ts'
import { deriveSecrets } from './derived-secrets.ts'

/**
 * The secret that everything of an installation is derived from, for good, lies in the key store, sealed by the master key: so the
 * master key can be another one without anything else changing. docs/decisions/017-master-key.md
 */

/** The entries of the key store that are no person's, and that each installation has. */
export const ROOT_KEY_ID = 'root'
export const INSTALLATION_KEY_ID = 'installation'

/** What is kept of a root secret: how often its master key was exchanged, which root it is, and the root itself, sealed. */
interface RootEntry {
  readonly rotations: number
  /** Tells one root from another without telling what it is. */
  readonly name: Buffer
  readonly wrapped: Buffer
}

/** A root secret that was opened. */
export interface UnwrappedRoot {
  readonly secret: Uint8Array
  readonly rotations: number
  /** The key that opened it. */
  readonly masterKey: string
  /** As it is kept. */
  readonly entry: Uint8Array
}

const FORMAT = 1
const NAME = 16
const HEAD = 1 + 4 + NAME

/**
 * Opens the root secret by whichever of these master keys does, and makes it where there is none: of an installation made before
 * there were such secrets it is the master key, which everything there was derived from; of a new one 32 random bytes. Of several
 * who make it at once the store keeps one's. Answers undefined when none of the keys is the right one.
 */
export async function unwrapRootSecret(store: KeyStore, masterKeys: readonly string[]): Promise<UnwrappedRoot | undefined> {
  // In this order: a root is made before the other one, so where that is found without a root there really was none.
  const installation = await readEntry(store, INSTALLATION_KEY_ID)
  const entry = (await readEntry(store, ROOT_KEY_ID)) ?? (await createRootEntry(store, masterKeys, installation))
  if (entry === undefined) return undefined
  for (const masterKey of masterKeys) {
    const secret = tryUnwrap(deriveWrappingKey(masterKey), parseEntry(entry).wrapped, wrappingContext(parseEntry(entry)))
    if (secret) return { secret, masterKey, entry, rotations: parseEntry(entry).rotations }
  }
  return undefined
}

/** Seals a root by another master key, in place of what is kept. Answers false when something else is kept by now. */
export function rewrapRootSecret(store: KeyStore, { secret, rotations, entry }: UnwrappedRoot, masterKey: string): Promise<boolean> {
  return store.replace(ROOT_KEY_ID, entry, wrapRootSecret(secret, rotations + 1, masterKey))
}

/** Whether one entry is the same root as another, as it was before its master key was exchanged. */
export function isEarlierRoot(entry: Uint8Array, later: Uint8Array): boolean {
  const [one, other] = [parseEntry(entry), parseEntry(later)]
  return one.name.equals(other.name) && one.rotations < other.rotations
}

async function createRootEntry(store: KeyStore, masterKeys: readonly string[], installation: Uint8Array | undefined): Promise<Uint8Array | undefined> {
  const masterKey =
    installation === undefined ? masterKeys[0] : masterKeys.find((key) => tryUnwrap(deriveSecrets(key).wrappingKey, installation, INSTALLATION_KEY_ID))
  if (masterKey === undefined) return undefined
  const kept = await store.add(ROOT_KEY_ID, wrapRootSecret(installation === undefined ? randomBytes(32) : Buffer.from(masterKey), 0, masterKey))
  return kept === 'destroyed' ? throwDestroyed(ROOT_KEY_ID) : kept.wrapped
}

/** Its length depends on the root's alone, so that one takes the other's place. */
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

/** What stands beside it can't be changed without its being noticed. */
const wrappingContext = (entry: Pick<RootEntry, 'rotations' | 'name'>): string => `${ROOT_KEY_ID} ${encodeHead(entry).toString('hex')}`

function parseEntry(entry: Uint8Array): RootEntry {
  const bytes = Buffer.from(entry)
  if (bytes.length <= HEAD || bytes[0] !== FORMAT) throw new Error('The root secret in the key store is of another version of the program')
  return { rotations: bytes.readUInt32BE(1), name: bytes.subarray(HEAD - NAME, HEAD), wrapped: bytes.subarray(HEAD) }
}

const deriveWrappingKey = (masterKey: string) => new Uint8Array(hkdfSync('sha256', masterKey, 'proofdesk', 'sealing of the root secret', 32))

/** What was sealed, if this is the key. */
function tryUnwrap(key: Uint8Array, sealed: Uint8Array, context: string): Buffer | undefined {
  try {
    return decrypt(key, sealed, context)
  } catch (error) {
    if (error instanceof Error && /authenticate/.test(error.message)) return undefined
    throw error
  }
}

async function readEntry(store: KeyStore, id: string): Promise<Uint8Array | undefined> {
  const kept = (await store.get([id])).get(id)
  return kept === 'destroyed' ? throwDestroyed(id) : kept?.wrapped
}

function throwDestroyed(id: string): never {
  throw new Error(`The key store says that the key '${id}' was destroyed, which nobody does`)
}
