import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { newFolder } from '#test-support/store-suite.ts'
import { sessionStoreConformance } from './session-store.conformance.ts'
import { openSqliteSessionStore } from './sqlite-session-store.ts'

sessionStoreConformance('session store in SQLite', () =>
  newFolder((folder) => openSqliteSessionStore(join(folder, 'sessions.db'))),
)

it('leaves nothing of where ended sessions were begun on the disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-sessions-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const store = openSqliteSessionStore(join(folder, 'sessions.db'))
  onTestFinished(() => store.close())
  const [browser, address] = ['Firefox of the erased', '2001:db8::e4a5:ed']
  const isOnDisk = () => readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(address))
  for (let n = 0; n < 20; n++)
    await store.create(
      {
        idHash: `session ${n}`,
        kind: 'trader',
        subject: 'ada',
        createdAt: n,
        lastSeenAt: n,
        suspension: null,
        mac: 'a MAC',
      },
      { browser, address },
    )
  expect(isOnDisk()).toBe(true)
  await store.endAll('trader', 'ada')
  expect(isOnDisk()).toBe(false)
})
