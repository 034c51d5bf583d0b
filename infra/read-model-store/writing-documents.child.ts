import { toCheckpoint, toPosition } from '#infra/event-store/event-store.ts'
import { openSqliteReadModelStore } from './sqlite-read-model-store.ts'

// Started by sqlite-read-model-store.test.ts: writes batches of documents with a checkpoint until it is killed, and
// prints each batch that was saved. With a second argument a batch waits for a line on stdin.
const [path = '', waits = ''] = process.argv.slice(2)
const DOCUMENTS = 50

const { documents, checkpoints } = openSqliteReadModelStore(path)
await documents.create({ name: 'batches', filters: ['batch'], search: ['text'] })
const lines = process.stdin[Symbol.asyncIterator]()
const saved = await checkpoints.load('child')
for (let batch = Number(saved?.position ?? 0) + 1; ; batch++) {
  if (waits) await lines.next()
  const position = toPosition(String(batch))
  const expected = batch === 1 ? null : toPosition(String(batch - 1))
  const writes = Array.from({ length: DOCUMENTS }, (_, n) => ({
    id: String(n),
    document: { batch, text: `batch number ${batch}` },
    position,
    expected,
  }))
  const refused = await documents.write('batches', writes, {
    consumer: 'child',
    checkpoint: toCheckpoint(String(batch)),
    position,
  })
  if (refused.length > 0) throw new Error(`${refused.length} writes were refused`)
  process.stdout.write(`${batch}\n`)
}
