import { describeFerretDb } from '#test-support/servers/ferretdb.ts'
import { openMongodbTreeStore } from './mongodb-tree-store.ts'
import { treeStoreConformance } from './tree-store.conformance.ts'

describeFerretDb('in MongoDB', (shared) => {
  treeStoreConformance('the tree store', async () => {
    const url = shared().newUrl()
    return { open: () => openMongodbTreeStore(url) }
  })
})
