import { describeFerretDb } from '#test-support/servers/ferretdb.ts'
import { openMongodbReadModelStore } from './mongodb-read-model-store.ts'
import { readModelStoreConformance } from './read-model-store.conformance.ts'

describeFerretDb('in MongoDB', (shared) => {
  readModelStoreConformance('the read-model store', async () => {
    const url = shared().newUrl()
    return { open: () => openMongodbReadModelStore(url) }
  })
})
