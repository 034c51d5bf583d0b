import { join } from 'node:path'
import { newFolder } from '#test-support/store-suite.ts'
import { openSqliteTreeStore } from './sqlite-tree-store.ts'
import { treeStoreConformance } from './tree-store.conformance.ts'

treeStoreConformance('the tree store in SQLite', () =>
  newFolder((folder) => openSqliteTreeStore(join(folder, 'tree.sqlite'))),
)
