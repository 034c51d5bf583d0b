import { randomUUID } from 'node:crypto'
import type { ExpectedRevision } from './event-store.ts'
import { openSqliteEventStore } from './sqlite-event-store.ts'

// Started by sqlite-event-store.test.ts: appends to several streams in parallel until it is killed or done, and prints
// `stream revision` for each acknowledged append.
const [path = '', prefix = '', each = 'Infinity'] = process.argv.slice(2)
const store = openSqliteEventStore(path)

await Promise.all(
  Array.from({ length: 4 }, async (_, writer) => {
    const stream = `${prefix}-${writer}`
    let expected: ExpectedRevision = 'none'
    for (let n = 0; n < Number(each); n++) {
      const event = { id: randomUUID(), type: 'AccountOpened', data: `{"n":${n}}`, metadata: '{}' }
      const { revision } = await store.append(stream, expected, [event])
      process.stdout.write(`${stream} ${revision}\n`)
      expected = revision
    }
  }),
)
await store.close()
