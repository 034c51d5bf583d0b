import { openSqlite } from '#infra/sqlite/sqlite.ts'
import { openSqliteKeyStore } from './sqlite-key-store.ts'

// Started by sqlite-key-store.test.ts: destroys a key while another connection reads, so that the write-ahead log can't
// be emptied. Prints the outcome and kills itself.
const [path = '', id = ''] = process.argv.slice(2)
const store = openSqliteKeyStore(path, { busyTimeout: 20, checkpointTimeout: 100 })
const reader = openSqlite(path, { part: 'test', durability: 'normal' })
reader.exec('BEGIN; SELECT * FROM keys')
const outcome = await store.destroy(id, new Uint8Array(60)).then(
  () => 'destroyed',
  (error: unknown) => (error instanceof Error ? error.name : String(error)),
)
process.stdout.write(outcome, () => process.kill(process.pid, 'SIGKILL'))
