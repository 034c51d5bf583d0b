import { randomBytes, randomUUID } from 'node:crypto'
import { Binary } from 'mongodb'
import { expect, it } from 'vitest'
import { connect } from '#infra/mongodb/mongodb-connection.ts'
import { describeFerretDb } from '#test-support/servers/ferretdb.ts'
import { keyStoreConformance } from './key-store.conformance.ts'
import { openMongoKeyStore } from './mongodb-key-store.ts'

describeFerretDb('in MongoDB', (shared) => {
  keyStoreConformance('the key store', async () => {
    const url = shared().newUrl()
    return { open: () => openMongoKeyStore(url) }
  })

  it('keeps only the id and the tombstone of a destroyed key', async () => {
    const url = shared().newUrl()
    const store = openMongoKeyStore(url)
    const { database, close } = connect(url, 'test')
    const entries = database.collection<{ _id: string }>('person_keys')
    const [id, other] = [randomUUID(), randomUUID()]
    await store.add(id, randomBytes(60))
    await store.add(other, randomBytes(60))
    expect(await entries.findOne({ _id: id })).toHaveProperty('wrapped')
    const tombstone = randomBytes(60)
    await store.destroy(id, tombstone)
    expect(await entries.findOne({ _id: id })).toEqual({ _id: id, wrapped: new Binary(tombstone), destroyed: true })
    expect(await entries.countDocuments()).toBe(2)
    await close()
    await store.close()
  })

  it('keeps additions and destructions when its server is killed', async () => {
    const server = shared()
    const store = openMongoKeyStore(server.newUrl())
    const keys = Array.from({ length: 20 }, () => ({ id: randomUUID(), wrapped: new Uint8Array(randomBytes(60)) }))
    const tombstone = new Uint8Array(randomBytes(60))
    for (const { id, wrapped } of keys) await store.add(id, wrapped)
    for (const { id } of keys.slice(0, 10)) await store.destroy(id, tombstone)
    await server.kill()
    await server.start()
    await expect
      .poll(
        () =>
          store.ready().then(
            () => true,
            () => false,
          ),
        { timeout: 60_000 },
      )
      .toBe(true)
    for (const [n, { id, wrapped }] of keys.entries()) {
      const stored = n < 10 ? { wrapped: tombstone, isDestroyed: true } : { wrapped, isDestroyed: false }
      expect(await store.get([id])).toEqual(new Map([[id, stored]]))
      expect(await store.add(id, randomBytes(60))).toEqual(stored)
    }
    await store.close()
  })
})
