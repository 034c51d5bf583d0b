import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { KeyStore, StoredKey } from '#infra/key-store/key-store.ts'
import { readThrough } from '#services/event-sourcing/read-through.ts'
import { decryptIfAuthentic, encrypt } from './cipher.ts'

/** A person's own 32-byte key, or 'destroyed': what it encrypted is lost. */
export type PersonKey = Uint8Array | 'destroyed'

/** Each person's key: wrapped in the key store, unwrapped for a short while in memory. */
export type PersonKeys = ReturnType<typeof createPersonKeys>

/** The key store lacks a key that it must have, or holds a row in its place that the portal did not write. */
export class MissingKey extends Error {
  override readonly name = 'MissingKey'
  constructor(readonly id: string) {
    super(
      `The key store has no authentic key '${id}', but events need it. Nothing was changed: docs/operate.md, "Keys that are missing"`,
    )
  }
}

export interface PersonKeysOptions {
  /** Monotonic, in ms. */
  readonly now?: () => number
  /** Called with the id of a row that the portal did not write. */
  readonly onForgedRow?: (id: string) => void
}

/** How long another process may still read erased data, in ms. */
const CACHE_TTL = 30_000

/** The content of a tombstone, wrapped like a key: as many bytes, so that it overwrites the key in place. */
const TOMBSTONE = new Uint8Array(32)

/** Wrapping authenticates a row and binds it to its kind and its id: a row that was moved or altered is none. */
const contextOf = (id: string, isDestroyed: boolean) => (isDestroyed ? `destroyed ${id}` : id)

export function createPersonKeys(
  store: KeyStore,
  secrets: { readonly wrappingKey: Uint8Array },
  { now = () => performance.now(), onForgedRow = () => {} }: PersonKeysOptions = {},
) {
  const known = new LRUCache<string, PersonKey>({ max: 20_000, ttl: CACHE_TTL, ttlResolution: 0, perf: { now } })

  /** Undefined for a row that the portal did not write: it counts as absent. */
  const unwrap = (id: string, { wrapped, isDestroyed }: StoredKey): PersonKey | undefined => {
    const unwrapped = decryptIfAuthentic(secrets.wrappingKey, wrapped, contextOf(id, isDestroyed))
    if (!unwrapped) {
      onForgedRow(id)
      return undefined
    }
    // The key may have been destroyed here during the read.
    const key = isDestroyed || known.get(id) === 'destroyed' ? 'destroyed' : unwrapped
    known.set(id, key)
    return key
  }

  const get = (ids: Iterable<string>): Promise<ReadonlyMap<string, PersonKey>> =>
    readThrough(known, ids, async (missing) =>
      [...(await store.get(missing))].flatMap(([id, stored]): [string, PersonKey][] => {
        const key = unwrap(id, stored)
        return key ? [[id, key]] : []
      }),
    )

  return {
    /** The keys of these persons; one who never had a key is missing. */
    get,

    /** The key of one person; undefined where there never was one. */
    keyOf: async (id: string): Promise<PersonKey | undefined> => (await get([id])).get(id),

    /** The key of a person who must have one. @throws {MissingKey} */
    async require(id: string): Promise<PersonKey> {
      return (await get([id])).get(id) ?? throwMissing(id)
    },

    /**
     * The key of a person who may be new, created if there never was one. Only for a person of whom nothing is encrypted
     * yet: in place of a lost key, another one would hide the loss.
     *
     * @throws {MissingKey} when the row of this person is not one that the portal wrote.
     */
    async getOrCreate(id: string): Promise<PersonKey> {
      const remembered = known.get(id)
      if (remembered) return remembered
      const stored = (await store.get([id])).get(id)
      const wrapped = () => encrypt(secrets.wrappingKey, randomBytes(32), contextOf(id, false))
      return unwrap(id, stored ?? (await store.add(id, wrapped()))) ?? throwMissing(id)
    },

    /** Makes all personal data of this person unreadable for good. */
    async destroy(id: string): Promise<void> {
      known.delete(id)
      await store.destroy(id, encrypt(secrets.wrappingKey, TOMBSTONE, contextOf(id, true)))
      known.set(id, 'destroyed')
    },
  }
}

function throwMissing(id: string): never {
  throw new MissingKey(id)
}
