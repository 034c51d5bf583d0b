import { afterAll, beforeAll, describe } from 'vitest'
import { type FerretDb, startFerretDb, whyNoFerretDb } from '../testing/ferretdb.ts'
import { viewStoreContract } from './contract.ts'
import { openMongoViewStore } from './mongodb.ts'

describe.skipIf(whyNoFerretDb)(`in MongoDB${whyNoFerretDb ? ` (skipped: ${whyNoFerretDb})` : ''}`, () => {
  let server: FerretDb
  beforeAll(async () => {
    server = await startFerretDb()
  })
  afterAll(() => server?.close())

  viewStoreContract('the view store', async () => {
    const url = server.newUrl()
    return { store: openMongoViewStore(url), reopen: async () => openMongoViewStore(url) }
  })
})
