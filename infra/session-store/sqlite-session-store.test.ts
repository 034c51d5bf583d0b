import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sessionStoreConformance } from './session-store.conformance.ts'
import { openSqliteSessionStore } from './sqlite-session-store.ts'

sessionStoreConformance('session store in SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-sessions-'))
  const path = join(folder, 'sessions.db')
  return {
    store: openSqliteSessionStore(path),
    reopen: async () => openSqliteSessionStore(path),
    remove: async () => rmSync(folder, { recursive: true }),
  }
})
