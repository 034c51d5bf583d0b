import { openSync, writeSync } from 'node:fs'
import { openSqlite, type Row } from '../infra/sqlite/sqlite.ts'
import type { Progress, ViewStore } from '../infra/read-model-store/read-model-store.ts'
import type { RecordedWrite } from './projection-run.ts'

/** Notes every write of a view store with the rows that it left, so that a floor can write the same. */
export interface Recorder {
  readonly viewStore: ViewStore
  /** Whether what comes now will be timed. */
  timed: boolean
  close(): void
}

/** @param path The file of the store, read after each write. */
export function openRecorder(store: ViewStore, path: string, recordTo: string): Recorder {
  const database = openSqlite(path, { part: 'recorder', durability: 'normal' })
  const file = openSync(recordTo, 'w')

  const note = (collection: string, ids: readonly string[], { checkpoint, position }: Progress): void => {
    const rows =
      ids.length === 0
        ? []
        : database.statement(`SELECT * FROM "${collection}:documents" WHERE id IN (SELECT value FROM json_each(?)) ORDER BY seq`).all(JSON.stringify(ids))
    const columns = Object.keys(rows[0] ?? {})
    const line: RecordedWrite = {
      timed: recorder.timed,
      collection,
      checkpoint,
      position,
      columns,
      rows: rows.map((row) => columns.map((column) => plain(row[column]))),
    }
    writeSync(file, `${JSON.stringify(line)}\n`)
  }

  const recorder: Recorder = {
    timed: false,
    viewStore: {
      ...store,
      async write(collection, writes, progress) {
        const refused = await store.write(collection, writes, progress)
        if (progress)
          note(
            collection,
            writes.map(({ id }) => id),
            progress,
          )
        return refused
      },
      async saveProgress(reader, progress) {
        await store.saveProgress(reader, progress)
        note(reader, [], progress)
      },
    },
    close: () => database.close(),
  }
  return recorder
}

function plain(value: Row[string] | undefined): RecordedWrite['rows'][number][number] {
  if (value instanceof ArrayBuffer) return { blob: Buffer.from(value).toString('base64') }
  return typeof value === 'bigint' ? Number(value) : (value ?? null)
}
