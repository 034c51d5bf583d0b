import { Binary } from 'mongodb'
import { connect, falseIfDuplicate } from '#infra/mongodb/mongodb-connection.ts'
import { checkReplacement, type KeyStore, type StoredKey } from './key-store.ts'

/** The entry of a destroyed key has no bytes. */
interface Entry {
  readonly _id: string
  readonly wrapped?: Binary
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
    const [only] = ids
    if (only === undefined) return new Map()
    // A single id is looked up without `$in`, which some servers do not support for this.
    const found = await run(() => entries.find({ _id: ids.length === 1 ? only : { $in: [...ids] } }).toArray())
    return new Map(
      found.map(({ _id, wrapped }) => [_id, wrapped ? { wrapped: new Uint8Array(wrapped.value()) } : 'destroyed']),
    )
  }

  return {
    get,

    async add(id, wrapped) {
      const isNew = await run(() =>
        entries.insertOne({ _id: id, wrapped: new Binary(wrapped) }).then(() => true, falseIfDuplicate),
      )
      if (isNew) return { wrapped }
      const stored = (await get([id])).get(id)
      if (!stored) throw new TypeError(`The key of ${id} was not stored`)
      return stored
    },

    async replace(id, expected, wrapped) {
      checkReplacement(expected, wrapped)
      const replaced = await run(() =>
        entries.replaceOne({ _id: id, wrapped: new Binary(expected) }, { wrapped: new Binary(wrapped) }),
      )
      return replaced.matchedCount > 0
    },

    destroy: (id) =>
      upsert(
        () => entries.replaceOne({ _id: id }, {}),
        () => entries.insertOne({ _id: id }),
      ),

    ready,
    close,
  }
}
