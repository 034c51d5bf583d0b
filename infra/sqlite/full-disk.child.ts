import { Unavailable } from '#infra/failures.ts'
import { openSqlite } from './sqlite.ts'

// Started by sqlite.test.ts under `ulimit -f`: files may not grow beyond the limit, as on a full disk. Prints the
// outcomes.
process.on('SIGXFSZ', () => {})
const [path = ''] = process.argv.slice(2)
const database = openSqlite(path, { part: 'ledger', durability: 'full' })
database.exec('CREATE TABLE IF NOT EXISTS notes (n INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT')
const insert = database.statement('INSERT INTO notes (text) VALUES (?)')

const attempt = (work: () => unknown): string => {
  try {
    work()
    return 'done'
  } catch (error) {
    const cause = error instanceof Unavailable ? error.cause : undefined
    return cause instanceof Error && 'code' in cause ? `Unavailable: ${cause.code}` : String(error)
  }
}

let kept = 0
let met = 'done'
while (met === 'done' && kept < 1000) {
  met = attempt(() => insert.run('x'.repeat(5000)))
  if (met === 'done') kept++
}
const together = attempt(() => database.transaction(() => insert.run('x'.repeat(5000))))
console.log(
  JSON.stringify({
    alone: met,
    together,
    // `ready` writes little, which may fit a few more times.
    ready: attempt(() => Array.from({ length: 10 }, () => database.ready())),
    lost: kept - Number(database.statement('SELECT count(*) AS kept FROM notes').get()?.['kept']),
  }),
)
