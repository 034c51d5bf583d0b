import { randomBytes, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { expectClosed, type StorePlace, useStores } from '../../test-support/store-suite.ts'
import type { KeyStore, StoredKey } from './key-store.ts'

/** The promises of every key store. Tests use only their own ids. */
export function keyStoreConformance(name: string, prepare: () => Promise<StorePlace<KeyStore>>): void {
  describe(name, () => {
    const { open } = useStores(prepare)
    let store: KeyStore
    let id: string
    const key = (): Uint8Array => new Uint8Array(randomBytes(60))

    beforeEach(() => {
      store = open()
      id = randomUUID()
    })

    it('returns added keys byte for byte, also after a restart', async () => {
      const wrapped = Uint8Array.from({ length: 256 }, (_, n) => n)
      expect(await store.add(id, wrapped)).toEqual({ wrapped })
      expect(await store.get([id])).toEqual(new Map([[id, { wrapped }]]))
      await store.close()
      expect(await open().get([id])).toEqual(new Map([[id, { wrapped }]]))
    })

    it('returns many keys at once, without unknown ids', async () => {
      const keys = new Map(Array.from({ length: 300 }, () => [randomUUID(), { wrapped: key() }]))
      for (const [each, { wrapped }] of keys) await store.add(each, wrapped)
      const gone = randomUUID()
      await store.destroy(gone)
      const known = await store.get([randomUUID(), ...keys.keys(), gone, randomUUID(), ...keys.keys()])
      expect(known).toEqual(new Map<string, StoredKey>([...keys, [gone, 'destroyed']]))
      expect(await store.get([])).toEqual(new Map())
      expect(await store.get([id])).toEqual(new Map())
    })

    it('takes any id', async () => {
      const ids = ['', ' ', '"', "'); --", 'żółw 🦔', '__proto__', `${id}-${'x'.repeat(500)}`].map((text) => id + text)
      for (const each of ids) await store.add(each, key())
      expect([...(await store.get(ids)).keys()].sort()).toEqual([...ids].sort())
    })

    it('keeps the first key of an id', async () => {
      const first = key()
      await store.add(id, first)
      expect(await store.add(id, key())).toEqual({ wrapped: first })
      expect(await store.get([id])).toEqual(new Map([[id, { wrapped: first }]]))
    })

    it('returns the stored key to all concurrent adds', async () => {
      const other = open()
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other).add(id, key())))
      const stored = (await store.get([id])).get(id)
      for (const answer of answers) expect(answer).toEqual(stored)
    })

    it('replaces a key by another, also after a restart', async () => {
      const [neighbour, first, second, third] = [randomUUID(), key(), key(), key()]
      await store.add(id, first)
      await store.add(neighbour, first)
      expect(await store.replace(id, first, second)).toBe(true)
      expect(await store.get([id, neighbour])).toEqual(
        new Map([
          [id, { wrapped: second }],
          [neighbour, { wrapped: first }],
        ]),
      )
      await store.close()
      const again = open()
      expect(await again.get([id])).toEqual(new Map([[id, { wrapped: second }]]))
      expect(await again.add(id, first)).toEqual({ wrapped: second })
      expect(await again.replace(id, second, third)).toBe(true)
    })

    it('replaces only the expected key, never a missing or destroyed one', async () => {
      const [first, second] = [key(), key()]
      expect(await store.replace(id, first, second)).toBe(false)
      expect(await store.get([id])).toEqual(new Map())
      await store.add(id, first)
      // It differs in the first byte only.
      const almost = Uint8Array.from(first, (byte, n) => (n === 0 ? byte ^ 1 : byte))
      expect(await store.replace(id, almost, second)).toBe(false)
      expect(await store.get([id])).toEqual(new Map([[id, { wrapped: first }]]))
      await store.destroy(id)
      expect(await store.replace(id, first, second)).toBe(false)
      expect(await store.replace(id, new Uint8Array(first.length), second)).toBe(false)
      expect(await store.get([id])).toEqual(new Map([[id, 'destroyed']]))
    })

    it('replaces a key by one of its own length only', async () => {
      const first = key()
      await store.add(id, first)
      await expect(store.replace(id, first, new Uint8Array(first.length + 1))).rejects.toThrow(TypeError)
      expect(await store.get([id])).toEqual(new Map([[id, { wrapped: first }]]))
    })

    it('destroys one key and no other', async () => {
      const [neighbour, wrapped] = [randomUUID(), key()]
      await store.add(id, key())
      await store.add(neighbour, wrapped)
      await store.destroy(id)
      expect(await store.get([id, neighbour])).toEqual(
        new Map<string, StoredKey>([
          [id, 'destroyed'],
          [neighbour, { wrapped }],
        ]),
      )
    })

    it('never gives a destroyed id a key again, also after a restart', async () => {
      await store.add(id, key())
      await store.destroy(id)
      expect(await store.add(id, key())).toBe('destroyed')
      await store.close()
      const again = open()
      expect(await again.add(id, key())).toBe('destroyed')
      expect(await again.get([id])).toEqual(new Map([[id, 'destroyed']]))
    })

    it('destroys unknown ids, and destroyed ones again', async () => {
      await store.destroy(id)
      expect(await store.get([id])).toEqual(new Map([[id, 'destroyed']]))
      expect(await store.add(id, key())).toBe('destroyed')
      await store.destroy(id)
      expect(await store.get([id])).toEqual(new Map([[id, 'destroyed']]))
    })

    it('lets a destruction win against concurrent adds', async () => {
      const other = open()
      await Promise.all([store.add(id, key()), other.destroy(id), store.add(id, key()), other.add(id, key())])
      expect(await store.get([id])).toEqual(new Map([[id, 'destroyed']]))
    })

    it('is unavailable once it is closed', async () => {
      await store.ready()
      await expectClosed(
        store,
        () => store.get([id]),
        () => store.add(id, key()),
        () => store.replace(id, key(), key()),
        () => store.destroy(id),
        () => store.ready(),
      )
    })
  })
}
