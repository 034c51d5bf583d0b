import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { KeyStore } from '#infra/key-store/key-store.ts'
import {
  INSTALLATION_KEY_ID,
  isEarlierRoot,
  type UnwrappedRoot,
  unwrapRootSecret,
  ROOT_KEY_ID,
  rewrapRootSecret,
} from './root-secret.ts'
import { createTestLog } from '#test-support/sample-events.ts'

const [KEY, OTHER, THIRD] = [
  'the master key of these tests, long enough',
  'another master key of these tests, as long',
  'a third master key',
]

let log: ReturnType<typeof createTestLog>
let store: KeyStore

beforeEach(() => {
  log = createTestLog()
  store = log.keyStore
})
afterEach(() => log.close())

const opened = async (...keys: string[]): Promise<UnwrappedRoot> =>
  (await unwrapRootSecret(store, keys)) ?? expect.fail('It did not open')
const storedRoot = async () => (await store.get([ROOT_KEY_ID])).get(ROOT_KEY_ID)

describe('the root secret', () => {
  it('of a new installation is random and never changes', async () => {
    const root = await opened(KEY)
    expect(root).toMatchObject({ masterKey: KEY, rotations: 0 })
    expect(root.secret).toHaveLength(32)
    expect(root.secret).not.toEqual(Buffer.from(KEY))
    expect(await opened(KEY)).toEqual(root)
  })

  it('opens with the valid master key only, in any order', async () => {
    const root = await opened(KEY)
    expect(await unwrapRootSecret(store, [OTHER])).toBeUndefined()
    expect(await unwrapRootSecret(store, [])).toBeUndefined()
    expect(await opened(OTHER, KEY)).toEqual(root)
    expect(Buffer.from(root.entry).includes(Buffer.from(root.secret))).toBe(false)
  })

  it('is created once by concurrent processes', async () => {
    const roots = await Promise.all(Array.from({ length: 10 }, () => opened(KEY)))
    expect(new Set(roots.map(({ secret }) => Buffer.from(secret).toString('hex'))).size).toBe(1)
  })

  it('is not created where another key says that it was lost', async () => {
    await store.add(INSTALLATION_KEY_ID, randomBytes(60))
    await expect(unwrapRootSecret(store, [KEY])).rejects.toThrow("The key 'root' is missing in the key store")
    expect(await storedRoot()).toBeUndefined()
  })

  it('is found while another process creates it', async () => {
    let isCreated = false
    const slowStore: KeyStore = {
      ...store,
      async get(ids) {
        const found = await store.get(ids)
        // Between the two reads another process creates both entries.
        if (!isCreated) {
          isCreated = true
          await opened(KEY)
          await store.add(INSTALLATION_KEY_ID, randomBytes(60))
        }
        return found
      },
    }
    expect((await unwrapRootSecret(slowStore, [KEY]))?.secret).toEqual((await opened(KEY)).secret)
  })

  it('does not open when any byte of its entry was changed', async () => {
    const { entry } = await opened(KEY)
    for (const at of [1, 4, 5, 20, 21, 40, entry.length - 1]) {
      const altered = Uint8Array.from(entry, (byte, n) => (n === at ? byte ^ 1 : byte))
      await store.replace(ROOT_KEY_ID, entry, altered)
      expect(await unwrapRootSecret(store, [KEY]), `byte ${at}`).toBeUndefined()
      await store.replace(ROOT_KEY_ID, altered, entry)
    }
    await opened(KEY)
  })
})

describe('a rotated master key', () => {
  it('no longer opens the root; the new key opens the same root', async () => {
    const root = await opened(KEY)
    expect(await rewrapRootSecret(store, root, OTHER)).toBe(true)
    expect(await unwrapRootSecret(store, [KEY])).toBeUndefined()
    expect(await opened(OTHER)).toMatchObject({ secret: root.secret, rotations: 1, masterKey: OTHER })
    expect(await rewrapRootSecret(store, await opened(OTHER), THIRD)).toBe(true)
    expect(await opened(KEY, OTHER, THIRD)).toMatchObject({ secret: root.secret, rotations: 2, masterKey: THIRD })
  })

  it('is rotated by only one of concurrent attempts', async () => {
    const root = await opened(KEY)
    const done = await Promise.all([OTHER, THIRD].map((key) => rewrapRootSecret(store, root, key)))
    expect(done.filter(Boolean)).toHaveLength(1)
    expect((await opened(OTHER, THIRD)).rotations).toBe(1)
  })

  it('distinguishes an earlier entry of the same root from others', async () => {
    const first = await opened(KEY)
    await rewrapRootSecret(store, first, OTHER)
    const second = await opened(OTHER)
    expect([
      isEarlierRoot(first.entry, second.entry),
      isEarlierRoot(second.entry, first.entry),
      isEarlierRoot(second.entry, second.entry),
    ]).toEqual([true, false, false])
    const elsewhere = createTestLog()
    const another = await unwrapRootSecret(elsewhere.keyStore, [KEY])
    expect(isEarlierRoot(another?.entry ?? first.entry, second.entry)).toBe(false)
    await elsewhere.close()
  })
})
