import { Binary } from 'mongodb'
import { connect, falseIfDuplicate } from '../mongodb/mongodb-connection.ts'
import { checkReplacement, type KeyStore, type StoredKey } from './key-store.ts'

/** A key has its bytes until it is destroyed: then there is only that it was. */
interface Entry {
  readonly _id: string
  readonly wrapped?: Binary
}

/**
 * Wrapped keys in MongoDB. What was answered stands in the journals of most of a replica set, so no death of a server brings
 * a destroyed key back. What a server keeps of bytes that it has freed, and backups, are beyond this:
 * docs/decisions/012-mongodb.md.
 */
export function openMongoKeyStore(url: string): KeyStore {
  const { database, run, close } = connect(url, 'key store')
  const entries = database.collection<Entry>('person_keys')

  const get = async (ids: readonly string[]): Promise<Map<string, StoredKey>> => {
    const [only] = ids
    if (only === undefined) return new Map()
    // One is looked up even by servers that look up nothing else.
    const found = await run(() => entries.find({ _id: ids.length === 1 ? only : { $in: [...ids] } }).toArray())
    return new Map(found.map(({ _id, wrapped }) => [_id, wrapped ? { wrapped: new Uint8Array(wrapped.value()) } : 'destroyed']))
  }

  return {
    get,

    async add(id, wrapped) {
      const isNew = await run(() => entries.insertOne({ _id: id, wrapped: new Binary(wrapped) }).then(() => true, falseIfDuplicate))
      if (isNew) return { wrapped }
      const kept = (await get([id])).get(id)
      if (!kept) throw new TypeError(`The key of ${id} was not kept`)
      return kept
    },

    async replace(id, expected, wrapped) {
      checkReplacement(expected, wrapped)
      const replaced = await run(() => entries.replaceOne({ _id: id, wrapped: new Binary(expected) }, { wrapped: new Binary(wrapped) }))
      return replaced.matchedCount > 0
    },

    async destroy(id) {
      const destroyed = await run(() => entries.replaceOne({ _id: id }, {}))
      if (destroyed.matchedCount > 0) return
      const isNew = await run(() => entries.insertOne({ _id: id }).then(() => true, falseIfDuplicate))
      // Made by somebody in between: it is there for good now.
      if (!isNew) await run(() => entries.replaceOne({ _id: id }, {}))
    },

    async ready() {
      await run(() => database.command({ ping: 1 }))
    },
    close,
  }
}
