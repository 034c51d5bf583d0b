import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteTreeStore } from './sqlite-tree-store.ts'
import { treeStoreConformance } from './tree-store.conformance.ts'

treeStoreConformance('the tree store in SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-tree-'))
  const path = join(folder, 'tree.sqlite')
  return {
    store: openSqliteTreeStore(path),
    reopen: async () => openSqliteTreeStore(path),
    remove: async () => rmSync(folder, { recursive: true }),
  }
})
