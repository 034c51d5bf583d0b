import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { KeyStore, StoredKey } from '#infra/key-store/key-store.ts'
import { readThrough } from '#services/event-sourcing/read-through.ts'
import { decrypt, encrypt } from './cipher.ts'

/** A person's own 32-byte key, or 'destroyed': what it encrypted is lost. */
export type PersonKey = Uint8Array | 'destroyed'

/** Each person's key: wrapped in the key store, unwrapped for a short while in memory. */
export type PersonKeys = ReturnType<typeof createPersonKeys>

/** How long another process may still read erased data, in ms. */
const CACHE_TTL = 30_000

/** `now` is monotonic, in ms. */
export function createPersonKeys(
  store: KeyStore,
  secrets: { readonly wrappingKey: Uint8Array },
  now = () => performance.now(),
) {
  const known = new LRUCache<string, PersonKey>({ max: 20_000, ttl: CACHE_TTL, ttlResolution: 0, perf: { now } })

  const unwrap = (personId: string, stored: StoredKey): PersonKey => {
    // The key may have been destroyed here during the read.
    const key =
      stored === 'destroyed' || known.get(personId) === 'destroyed'
        ? 'destroyed'
        : decrypt(secrets.wrappingKey, stored.wrapped, personId)
    known.set(personId, key)
    return key
  }

  const get = (personIds: Iterable<string>): Promise<ReadonlyMap<string, PersonKey>> =>
    readThrough(known, personIds, async (missing) =>
      [...(await store.get(missing))].map(([id, key]) => [id, unwrap(id, key)]),
    )

  return {
    /** The keys of these persons; one who never had a key is missing. */
    get,

    /** The key of one person; undefined where there never was one. */
    keyOf: async (personId: string): Promise<PersonKey | undefined> => (await get([personId])).get(personId),

    /** The person's key, created if there never was one. */
    async getOrCreate(personId: string): Promise<PersonKey> {
      const remembered = known.get(personId)
      if (remembered) return remembered
      const stored = (await store.get([personId])).get(personId)
      return unwrap(
        personId,
        stored ?? (await store.add(personId, encrypt(secrets.wrappingKey, randomBytes(32), personId))),
      )
    },

    /** Makes all personal data of this person unreadable for good. */
    async destroy(personId: string): Promise<void> {
      known.delete(personId)
      await store.destroy(personId)
      known.set(personId, 'destroyed')
    },
  }
}
