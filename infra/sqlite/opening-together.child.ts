import { once } from 'node:events'
import { join } from 'node:path'
import { openSqlite } from './sqlite.ts'

// Started several times by sqlite.test.ts: each process opens the same new files at the same moments, from the one it
// reads.
const [folder = '', files = ''] = process.argv.slice(2)
const MS_BETWEEN = 20
console.log('ready')
const [start] = await once(process.stdin, 'data')
let opened = 0
for (let file = 0; file < Number(files); file++) {
  while (Date.now() < Number(start) + file * MS_BETWEEN);
  openSqlite(join(folder, `${file}.db`), { part: 'ledger', durability: 'full' }).close()
  opened++
}
console.log(opened)
process.stdin.destroy()
