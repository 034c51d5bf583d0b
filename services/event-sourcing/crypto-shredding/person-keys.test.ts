import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { KeyStore } from '#infra/key-store/key-store.ts'
import { Unavailable } from '#infra/failures.ts'
import { type PersonKey, createPersonKeys, MissingKey } from './person-keys.ts'
import { createTestLog } from '#test-support/sample-events.ts'

const secrets = { wrappingKey: new Uint8Array(32).fill(1) }

let log: ReturnType<typeof createTestLog>
let store: KeyStore

beforeEach(() => {
  log = createTestLog()
  store = log.keyStore
})

afterEach(() => log.close())

/** The real store, recording its calls. */
function watched(): { store: KeyStore; asked: string[] } {
  const requests: string[] = []
  return {
    asked: requests,
    store: {
      ...store,
      get(ids) {
        requests.push(`get ${ids.join(' ')}`)
        return store.get(ids)
      },
      add(id, wrapped) {
        requests.push(`add ${id}`)
        return store.add(id, wrapped)
      },
    },
  }
}

describe("a person's key", () => {
  it('is created at the first write and stays the same', async () => {
    const keys = createPersonKeys(store, secrets)
    expect(await keys.get(['ada'])).toEqual(new Map())
    const key = await keys.getOrCreate('ada')
    expect(key).toHaveLength(32)
    expect(await keys.getOrCreate('ada')).toEqual(key)
    expect(await keys.get(['ada'])).toEqual(new Map([['ada', key]]))
  })

  it('survives a restart', async () => {
    const key = await createPersonKeys(store, secrets).getOrCreate('ada')
    const restarted = createPersonKeys(store, secrets)
    expect(await restarted.get(['ada'])).toEqual(new Map([['ada', key]]))
    expect(await createPersonKeys(store, secrets).getOrCreate('ada')).toEqual(key)
  })

  it('belongs to one person only', async () => {
    const keys = createPersonKeys(store, secrets)
    expect(await keys.getOrCreate('ada')).not.toEqual(await keys.getOrCreate('bob'))
  })

  it('is the same for forty concurrent first writers', async () => {
    const processes = [
      createPersonKeys(store, secrets),
      createPersonKeys(store, secrets),
      createPersonKeys(store, secrets),
    ]
    const made = await Promise.all(Array.from({ length: 40 }, (_, each) => processes[each % 3]?.getOrCreate('ada')))
    expect(new Set(made.map(String)).size).toBe(1)
  })

  it('is stored only wrapped', async () => {
    const key = await createPersonKeys(store, secrets).getOrCreate('ada')
    const kept = (await store.get(['ada'])).get('ada')
    if (!kept || key === 'destroyed') throw new Error('It is not kept')
    expect(Buffer.from(kept.wrapped).includes(Buffer.from(key))).toBe(false)
    expect(await createPersonKeys(store, { wrappingKey: new Uint8Array(32).fill(2) }).get(['ada'])).toEqual(new Map())
  })

  it("cannot be used as another person's: such a row is reported, and counts as absent", async () => {
    const ada = await createPersonKeys(store, secrets).getOrCreate('ada')
    const kept = (await store.get(['ada'])).get('ada')
    if (!kept) throw new Error('It is not kept')
    await store.add('bob', kept.wrapped)
    await store.add('eve', new Uint8Array([1, 2, 3]))
    await store.destroy('dan', new Uint8Array(60))
    const forged: string[] = []
    const keys = createPersonKeys(store, secrets, { onForgedRow: (id) => forged.push(id) })
    expect(await keys.get(['ada', 'bob', 'eve', 'dan'])).toEqual(new Map([['ada', ada]]))
    expect(forged.toSorted()).toEqual(['bob', 'dan', 'eve'])
    for (const id of ['bob', 'eve', 'dan']) {
      await expect(keys.getOrCreate(id)).rejects.toThrow(MissingKey)
      await expect(keys.require(id)).rejects.toThrow(MissingKey)
    }
  })

  it('that must exist is not created', async () => {
    const keys = createPersonKeys(store, secrets)
    await expect(keys.require('ada')).rejects.toThrow("The key store has no authentic key 'ada'")
    expect(await store.get(['ada'])).toEqual(new Map())
    const key = await keys.getOrCreate('ada')
    expect(await keys.require('ada')).toEqual(key)
  })

  it('is read in batches and cached', async () => {
    const first = createPersonKeys(store, secrets)
    for (const person of ['ada', 'bob', 'eve']) await first.getOrCreate(person)
    const { store: counted, asked } = watched()
    const keys = createPersonKeys(counted, secrets)
    expect([...(await keys.get(['ada', 'bob', 'ada', 'nobody'])).keys()]).toEqual(['ada', 'bob'])
    expect([...(await keys.get(['bob', 'eve', 'ada'])).keys()].toSorted()).toEqual(['ada', 'bob', 'eve'])
    await keys.getOrCreate('eve')
    expect(asked).toEqual(['get ada bob nobody', 'get eve'])
  })

  it('is not read for an empty list', async () => {
    const { store: counted, asked } = watched()
    expect(await createPersonKeys(counted, secrets).get([])).toEqual(new Map())
    expect(asked).toEqual([])
  })
})

describe('a destroyed key', () => {
  it('leaves a tombstone that belongs to one person only', async () => {
    const keys = createPersonKeys(store, secrets)
    await keys.destroy('ada')
    const tombstone = (await store.get(['ada'])).get('ada')
    if (!tombstone) throw new Error('There is none')
    await keys.getOrCreate('bob')
    await store.destroy('bob', tombstone.wrapped)
    await store.add('eve', tombstone.wrapped)
    const restarted = createPersonKeys(store, secrets)
    expect(await restarted.get(['ada', 'bob', 'eve'])).toEqual(new Map([['ada', 'destroyed']]))
  })

  it('stays destroyed for reads, writes and after a restart', async () => {
    const keys = createPersonKeys(store, secrets)
    await keys.getOrCreate('ada')
    await keys.destroy('ada')
    for (const each of [keys, createPersonKeys(store, secrets)]) {
      expect(await each.get(['ada'])).toEqual(new Map([['ada', 'destroyed']]))
      expect(await each.getOrCreate('ada')).toBe('destroyed')
    }
    expect((await store.get(['ada'])).get('ada')).toMatchObject({ isDestroyed: true })
  })

  it('prevents a new key for a person erased before any write', async () => {
    const keys = createPersonKeys(store, secrets)
    await keys.destroy('ada')
    expect(await keys.getOrCreate('ada')).toBe('destroyed')
  })

  it('can be destroyed again, without affecting others', async () => {
    const keys = createPersonKeys(store, secrets)
    const bob = await keys.getOrCreate('bob')
    await keys.destroy('ada')
    await keys.destroy('ada')
    const left: [string, PersonKey][] = [
      ['ada', 'destroyed'],
      ['bob', bob],
    ]
    expect(await keys.get(['ada', 'bob'])).toEqual(new Map(left))
  })

  it('is not cached by a concurrent read', async () => {
    await createPersonKeys(store, secrets).getOrCreate('ada')
    const accessControl = new AbortController()
    const slow: KeyStore = {
      ...store,
      async get(ids) {
        const found = await store.get(ids)
        if (!accessControl.signal.aborted) await once(accessControl.signal, 'abort')
        return found
      },
    }
    const keys = createPersonKeys(slow, secrets)
    const reading = keys.get(['ada'])
    await keys.destroy('ada')
    accessControl.abort()
    expect(await reading).toEqual(new Map([['ada', 'destroyed']]))
    expect(await keys.getOrCreate('ada')).toBe('destroyed')
  })

  it('is not considered destroyed when the store fails', async () => {
    const away: KeyStore = { ...store, destroy: () => Promise.reject(new Unavailable('key store')) }
    const keys = createPersonKeys(away, secrets)
    const key = await keys.getOrCreate('ada')
    await expect(keys.destroy('ada')).rejects.toThrow(Unavailable)
    expect(await keys.get(['ada'])).toEqual(new Map([['ada', key]]))
  })

  it('is not cached when its destruction is uncertain', async () => {
    const unsure: KeyStore = {
      ...store,
      async destroy(id, tombstone) {
        await store.destroy(id, tombstone)
        throw new Unavailable('key store')
      },
    }
    const keys = createPersonKeys(unsure, secrets)
    await keys.getOrCreate('ada')
    await expect(keys.destroy('ada')).rejects.toThrow(Unavailable)
    expect(await keys.getOrCreate('ada')).toBe('destroyed')
  })

  it('is noticed by other processes within half a minute', async () => {
    let now = 1
    const [here, elsewhere] = [createPersonKeys(store, secrets), createPersonKeys(store, secrets, { now: () => now })]
    const key = await elsewhere.getOrCreate('ada')
    await here.destroy('ada')
    now += 29_999
    expect(await elsewhere.get(['ada'])).toEqual(new Map([['ada', key]]))
    now += 2
    expect(await elsewhere.get(['ada'])).toEqual(new Map([['ada', 'destroyed']]))
    expect(await elsewhere.getOrCreate('ada')).toBe('destroyed')
  })
})
