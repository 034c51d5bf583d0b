import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { KeyStore, StoredKey } from '../../../infra/key-store/key-store.ts'
import { decrypt, encrypt } from './cipher.ts'

/** A person's own key of 32 bytes, or word that it was destroyed and what it hid is gone. */
export type PersonKey = Uint8Array | 'destroyed'

/** Each person's key, kept wrapped in the key store and for a short while unwrapped in memory. */
export interface PersonKeys {
  /** The keys of these persons; one who never had a key is missing. */
  get(personIds: Iterable<string>): Promise<ReadonlyMap<string, PersonKey>>
  /** The person's key, made now if there never was one. */
  getOrCreate(personId: string): Promise<PersonKey>
  /** Makes everything personal of this person unreadable, for good. */
  destroy(personId: string): Promise<void>
}

/** How long another process may still read what was erased, in ms. */
const CACHE_TTL = 30_000

/** `now` counts ms and never goes back. */
export function createPersonKeys(store: KeyStore, secrets: { readonly wrappingKey: Uint8Array }, now = () => performance.now()): PersonKeys {
  const known = new LRUCache<string, PersonKey>({ max: 20_000, ttl: CACHE_TTL, ttlResolution: 0, perf: { now } })

  const unwrap = (personId: string, stored: StoredKey): PersonKey => {
    // It may have been destroyed here while the store was being read.
    const key = stored === 'destroyed' || known.get(personId) === 'destroyed' ? 'destroyed' : decrypt(secrets.wrappingKey, stored.wrapped, personId)
    known.set(personId, key)
    return key
  }

  return {
    async get(personIds) {
      const keys = new Map<string, PersonKey>()
      const missing: string[] = []
      for (const id of new Set(personIds)) {
        const key = known.get(id)
        if (key) keys.set(id, key)
        else missing.push(id)
      }
      if (missing.length > 0) for (const [id, stored] of await store.get(missing)) keys.set(id, unwrap(id, stored))
      return keys
    },

    async getOrCreate(personId) {
      const remembered = known.get(personId)
      if (remembered) return remembered
      const stored = (await store.get([personId])).get(personId)
      return unwrap(personId, stored ?? (await store.add(personId, encrypt(secrets.wrappingKey, randomBytes(32), personId))))
    },

    async destroy(personId) {
      known.delete(personId)
      await store.destroy(personId)
      known.set(personId, 'destroyed')
    },
  }
}
