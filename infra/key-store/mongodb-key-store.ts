import { Binary } from 'mongodb'
import { anyOf, connect, falseIfDuplicate } from '#infra/mongodb/mongodb-connection.ts'
import { checkReplacement, type KeyStore, type StoredKey } from './key-store.ts'

interface Entry {
  readonly _id: string
  readonly wrapped: Binary
  /** In the entry of a destroyed key only. */
  readonly destroyed?: true
}

/**
 * Wrapped keys in MongoDB. Writes are confirmed by the journals of most of a replica set, so the death of a server
 * brings no destroyed key back. Freed bytes on a server's disk, and its backups, are out of reach:
 * docs/decisions/012-mongodb.md.
 */
export function openMongoKeyStore(url: string): KeyStore {
  const { database, run, upsert, ready, close } = connect(url, 'key store')
  const entries = database.collection<Entry>('person_keys')

  const get = async (ids: readonly string[]): Promise<Map<string, StoredKey>> => {
    if (ids.length === 0) return new Map()
    const found = await run(() => entries.find({ _id: anyOf(ids) }).toArray())
    return new Map(
      found.map(({ _id, wrapped, destroyed = false }) => [
        _id,
        { wrapped: new Uint8Array(wrapped.value()), isDestroyed: destroyed },
      ]),
    )
  }

  return {
    get,

    async add(id, wrapped) {
      const isNew = await run(() =>
        entries.insertOne({ _id: id, wrapped: new Binary(wrapped) }).then(() => true, falseIfDuplicate),
      )
      if (isNew) return { wrapped, isDestroyed: false }
      const stored = (await get([id])).get(id)
      if (!stored) throw new TypeError(`The key of ${id} was not stored`)
      return stored
    },

    async replace(id, expected, wrapped) {
      checkReplacement(expected, wrapped)
      const replaced = await run(() =>
        entries.replaceOne(
          { _id: id, wrapped: new Binary(expected), destroyed: { $exists: false } },
          { wrapped: new Binary(wrapped) },
        ),
      )
      return replaced.matchedCount > 0
    },

    destroy(id, bytes) {
      const tombstone = { wrapped: new Binary(bytes), destroyed: true } as const
      return upsert(
        () => entries.replaceOne({ _id: id }, tombstone),
        () => entries.insertOne({ _id: id, ...tombstone }),
      )
    },

    ready,
    close,
  }
}
