import { describeFerretDb } from '../mongodb/suite.testing.ts'
import { viewStoreContract } from './contract.ts'
import { openMongoViewStore } from './mongodb.ts'

describeFerretDb('in MongoDB', (shared) => {
  viewStoreContract('the view store', async () => {
    const url = shared().newUrl()
    return { store: openMongoViewStore(url), reopen: async () => openMongoViewStore(url) }
  })
})
