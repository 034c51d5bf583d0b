import { describeFerretDb } from '../../test-support/servers/mongodb-suite.ts'
import { viewStoreContract } from './read-model-store.conformance.ts'
import { openMongoViewStore } from './mongodb.ts'

describeFerretDb('in MongoDB', (shared) => {
  viewStoreContract('the view store', async () => {
    const url = shared().newUrl()
    return { store: openMongoViewStore(url), reopen: async () => openMongoViewStore(url) }
  })
})
