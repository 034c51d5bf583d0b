import { openSqliteKeyStore } from './sqlite-key-store.ts'

// Started by sqlite-key-store.test.ts: announces its start, then destroys many keys.
const [path = ''] = process.argv.slice(2)

const store = openSqliteKeyStore(path, { checkpointTimeout: 120_000 })
process.stdout.write('beginning\n')
for (let n = 0; n < 300; n++) await store.destroy(`theirs ${n}`, new Uint8Array(60))
await store.close()
