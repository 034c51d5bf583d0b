import { MongoClient } from 'mongodb'
import { expect, it } from 'vitest'
import { describeFerretDb } from '../../test-support/servers/ferretdb.ts'
import { openMongodbReadModelStore } from './mongodb-read-model-store.ts'
import { readModelStoreConformance } from './read-model-store.conformance.ts'

describeFerretDb('in MongoDB', (shared) => {
  readModelStoreConformance('the read-model store', async () => {
    const url = shared().newUrl()
    return { open: () => openMongodbReadModelStore(url) }
  })

  it('serves what version e747b87 served, and takes over its rebuilds', async () => {
    const url = shared().newUrl()
    const client = new MongoClient(url)
    const store = openMongodbReadModelStore(url)
    try {
      const database = client.db()
      const settings = { 'view:users': 'users_v4_2', 'generation:users': '3', 'building:users': 'users_v4_3', 'retired:users': 'users_v4 users_v4_2' }
      const entries = Object.entries({
        ...settings,
        'view:payouts': 'payouts_v3',
        'building:payouts': 'payouts_v3',
        'rebuild:payouts': 'requested',
        'pace:users_v4_3': '1 2',
      })
      await database.collection<{ _id: string }>('settings').insertMany(entries.map(([_id, value]) => ({ _id, value })))
      const indexes = ['created', 'account.status,created', 'fullName']
      await database.collection<{ _id: string }>('collections').insertOne({ _id: 'users_v4_2', ...{ indexes, search: ['fullName'], made: 1 } })
      const keys = { fullName: 'Ada', 'account/status': 'active' }
      const stored = { position: '1', made: 1, gone: false, document: '{"fullName":"Ada"}', keys, search: '\u0002ADA', grams: ['ADA', '\u0002A', '\u0002AD'] }
      await database.collection<{ _id: string }>('view_users_v4_2').insertOne({ _id: 'ada', ...stored })

      const { documents, projections } = store
      const idle = { building: null, retired: [], generation: 1, rebuildRequested: false, pace: null }
      expect(await projections.loadAll()).toEqual(
        new Map([
          ['users', { ...idle, projection: 'users', serving: 'users_v4_2', building: 'users_v4_3', retired: ['users_v4'], generation: 3 }],
          ['payouts', { ...idle, projection: 'payouts', serving: 'payouts_v3', rebuildRequested: true }],
        ]),
      )
      expect(await database.collection('settings').countDocuments()).toBe(0)
      await documents.create({ name: 'users_v4_2', filters: ['account.status'], sorts: ['fullName'], search: ['fullName'] })
      const query = { where: { 'account.status': 'active' }, search: 'ad', sort: { by: 'fullName', direction: 1 }, limit: 5 } as const
      expect(await documents.find('users_v4_2', query)).toEqual({ documents: [{ id: 'ada', document: { fullName: 'Ada' } }], next: undefined })
    } finally {
      await store.close()
      await client.close()
    }
  })
})
