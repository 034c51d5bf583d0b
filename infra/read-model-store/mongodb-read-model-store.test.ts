import { describeFerretDb } from '../../test-support/servers/mongodb-suite.ts'
import { openMongodbReadModelStore } from './mongodb-read-model-store.ts'
import { readModelStoreConformance } from './read-model-store.conformance.ts'

describeFerretDb('in MongoDB', (shared) => {
  readModelStoreConformance('the read-model store', async () => {
    const url = shared().newUrl()
    return { store: openMongodbReadModelStore(url), reopen: async () => openMongodbReadModelStore(url) }
  })
})
