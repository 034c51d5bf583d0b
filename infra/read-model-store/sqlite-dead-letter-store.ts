import { toPosition } from '#infra/event-store/event-store.ts'
import type { Sqlite } from '#infra/sqlite/sqlite.ts'
import type { DeadLetterStore } from './dead-letter-store.ts'

export function createSqliteDeadLetterStore(database: Sqlite): DeadLetterStore {
  database.exec(`CREATE TABLE IF NOT EXISTS dead_letters (
    consumer TEXT NOT NULL,
    stream   TEXT NOT NULL,
    revision INTEGER NOT NULL,
    position TEXT NOT NULL,
    type     TEXT NOT NULL,
    error    TEXT NOT NULL,
    PRIMARY KEY (consumer, stream, revision)
  ) STRICT`)
  const upsert = database.statement(`
    INSERT INTO dead_letters (consumer, stream, revision, position, type, error) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (consumer, stream, revision) DO UPDATE SET position = excluded.position, type = excluded.type, error = excluded.error`)
  const select = database.statement(`
    SELECT consumer, stream, revision, position, type, error FROM dead_letters WHERE consumer = ?1 OR ?1 IS NULL
    ORDER BY length(position), position, consumer`)
  const remove = database.statement(
    'DELETE FROM dead_letters WHERE consumer = ?1 AND (?2 IS NULL OR (stream = ?2 AND revision = ?3))',
  )

  return {
    async add({ consumer, stream, revision, position, type, error }) {
      upsert.run(consumer, stream, revision, position, type, error)
    },
    async list(consumer) {
      return select.all(consumer ?? null).map((row) => ({
        consumer: String(row['consumer']),
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
