import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { viewStoreContract } from './contract.ts'
import { openSqliteViewStore } from './sqlite.ts'

viewStoreContract('view store in SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-views-'))
  const path = join(folder, 'views.db')
  return {
    store: openSqliteViewStore(path),
    reopen: async () => openSqliteViewStore(path),
    remove: async () => rmSync(folder, { recursive: true }),
  }
})
