import { appendFileSync } from 'node:fs'
import { openSqliteOutbox } from './sqlite-outbox.ts'

/** A worker that sqlite-outbox.test.ts kills: logs each job it starts, and never finishes the given one. */
const [path = '', log = '', endless = ''] = process.argv.slice(2)

await openSqliteOutbox(path).work(
  async ({ id }) => {
    appendFileSync(log, `${id}\n`)
    if (id !== endless) return
    console.log(`sending ${id}`)
    await new Promise((resolve) => setTimeout(resolve, 600_000))
  },
  { signal: new AbortController().signal, atOnce: 1, slowAfter: 600_000 },
)
