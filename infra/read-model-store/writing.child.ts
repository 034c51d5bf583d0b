import { toCheckpoint, toPosition } from '../event-store/event-store.ts'
import { openSqliteViewStore } from './sqlite.ts'

// Started by sqlite.test.ts: writes batches of documents with the reader's progress until it is killed, and prints each
// batch that was saved. A batch waits for a line on stdin where that was asked for.
const [path = '', waits = ''] = process.argv.slice(2)
const DOCUMENTS = 50

const store = openSqliteViewStore(path)
await store.open({ name: 'batches', indexes: [{ batch: 1 }], search: ['text'] })
const lines = process.stdin[Symbol.asyncIterator]()
const progress = await store.progress('child')
for (let batch = Number(progress?.position ?? 0) + 1; ; batch++) {
  if (waits) await lines.next()
  const position = toPosition(String(batch))
  const expected = batch === 1 ? null : toPosition(String(batch - 1))
  const documents = Array.from({ length: DOCUMENTS }, (_, n) => ({ id: String(n), document: { batch, text: `batch number ${batch}` }, position, expected }))
  const refused = await store.write('batches', documents, { reader: 'child', checkpoint: toCheckpoint(String(batch)), position })
  if (refused.length > 0) throw new Error(`${refused.length} writes were refused`)
  process.stdout.write(`${batch}\n`)
}
