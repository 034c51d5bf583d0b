import { toPosition } from '../event-store/event-store.ts'
import type { Sqlite } from '../sqlite/sqlite.ts'
import type { DeadLetterStore } from './dead-letter-store.ts'

export function createSqliteDeadLetterStore(database: Sqlite): DeadLetterStore {
  database.exec(`CREATE TABLE IF NOT EXISTS poison (
    reader   TEXT NOT NULL,
    stream   TEXT NOT NULL,
    revision INTEGER NOT NULL,
    position TEXT NOT NULL,
    type     TEXT NOT NULL,
    error    TEXT NOT NULL,
    PRIMARY KEY (reader, stream, revision)
  ) STRICT`)
  const upsert = database.statement(`
    INSERT INTO poison (reader, stream, revision, position, type, error) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (reader, stream, revision) DO UPDATE SET position = excluded.position, type = excluded.type, error = excluded.error`)
  const select = database.statement(`
    SELECT reader, stream, revision, position, type, error FROM poison WHERE reader = ?1 OR ?1 IS NULL
    ORDER BY length(position), position, reader`)
  const remove = database.statement('DELETE FROM poison WHERE reader = ?1 AND (?2 IS NULL OR (stream = ?2 AND revision = ?3))')

  return {
    async add({ consumer, stream, revision, position, type, error }) {
      upsert.run(consumer, stream, revision, position, type, error)
    },
    async list(consumer) {
      return select.all(consumer ?? null).map((row) => ({
        consumer: String(row['reader']),
        stream: String(row['stream']),
        revision: Number(row['revision']),
        position: toPosition(String(row['position'])),
        type: String(row['type']),
        error: String(row['error']),
      }))
    },
    async delete(consumer, event) {
      remove.run(consumer, event?.stream ?? null, event?.revision ?? null)
    },
  }
}
