import { randomBytes, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { call, expectLikeModel } from '#test-support/store-model.ts'
import { expectClosed, type StorePlace, useStores } from '#test-support/store-suite.ts'
import { checkReplacement, type KeyStore, type StoredKey } from './key-store.ts'

type Keys = Omit<KeyStore, 'ready' | 'close'>

/** What a key store promises, as plain as can be. */
class KeyModel implements Keys {
  readonly #keys = new Map<string, StoredKey>()

  async get(ids: readonly string[]) {
    return new Map([...this.#keys].filter(([id]) => ids.includes(id)))
  }

  async add(id: string, wrapped: Uint8Array) {
    const stored = this.#keys.get(id) ?? { wrapped, isDestroyed: false }
    this.#keys.set(id, stored)
    return stored
  }

  async replace(id: string, expected: Uint8Array, wrapped: Uint8Array) {
    checkReplacement(expected, wrapped)
    const stored = this.#keys.get(id)
    if (!stored || stored.isDestroyed || Buffer.compare(stored.wrapped, expected) !== 0) return false
    this.#keys.set(id, { wrapped, isDestroyed: false })
    return true
  }

  async destroy(id: string, tombstone: Uint8Array) {
    this.#keys.set(id, { wrapped: tombstone, isDestroyed: true })
  }
}

const ids = ['one', '', ' ', '"', "'); --", 'żółw 🦔', '__proto__', 'x'.repeat(500)]
/** Few are used often, so that the calls of one run meet. */
const id = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('one', '"') },
  { weight: 1, arbitrary: fc.constantFrom(...ids) },
)
const everyByte = Array.from({ length: 256 }, (_, byte) => byte)
/** Of one length, but for the last. */
const keys = [everyByte, everyByte.toReversed(), [1, ...everyByte.slice(1)], everyByte.map(() => 0), [1, 2, 3]].map(
  (bytes) => Uint8Array.from(bytes),
)
const key = fc.constantFrom(...keys)
const replace = call('replace', id, key, key)
const calls = [call('add', id, key), replace, replace, call('destroy', id, key), call('get', fc.array(id))]
const observe = (store: Keys) => store.get([...ids, ...ids, 'never'])

/** The promises of every key store. Tests use only their own ids. */
export function keyStoreConformance(name: string, prepare: () => Promise<StorePlace<KeyStore>>): void {
  describe(name, () => {
    const { open } = useStores(prepare)
    let store: KeyStore
    let newId: string
    const newKey = (): Uint8Array => new Uint8Array(randomBytes(60))

    beforeEach(() => {
      store = open()
      newId = randomUUID()
    })

    it('adds, replaces and destroys keys like the model', () =>
      expectLikeModel({ prepare, createModel: (): Keys => new KeyModel(), calls, observe }))

    it('returns many keys at once', async () => {
      const many = new Map(Array.from({ length: 300 }, () => [randomUUID(), { wrapped: newKey(), isDestroyed: false }]))
      for (const [each, { wrapped }] of many) await store.add(each, wrapped)
      expect(await store.get([randomUUID(), ...many.keys(), randomUUID(), ...many.keys()])).toEqual(many)
    })

    it('returns the stored key to all concurrent adds', async () => {
      const other = open()
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other).add(newId, newKey())),
      )
      const stored = (await store.get([newId])).get(newId)
      for (const answer of answers) expect(answer).toEqual(stored)
    })

    it('lets a destruction win against concurrent adds', async () => {
      const [other, tombstone] = [open(), newKey()]
      await Promise.all([
        store.add(newId, newKey()),
        other.destroy(newId, tombstone),
        store.add(newId, newKey()),
        other.add(newId, newKey()),
      ])
      expect(await store.get([newId])).toEqual(new Map([[newId, { wrapped: tombstone, isDestroyed: true }]]))
    })

    it('is unavailable once it is closed', async () => {
      await store.ready()
      await expectClosed(
        store,
        () => store.get([newId]),
        () => store.add(newId, newKey()),
        () => store.replace(newId, newKey(), newKey()),
        () => store.destroy(newId, newKey()),
        () => store.ready(),
      )
    })
  })
}
