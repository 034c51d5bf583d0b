import { openSqlite } from '#infra/sqlite/sqlite.ts'
import { checkAppend, type EventStore, type StoredEvent } from './event-store.ts'
import { openSqliteEventStore } from './sqlite-event-store.ts'

/** A copy of a log in progress. */
export interface LogCopy {
  /** The position copied so far. */
  readonly store: EventStore
  /** Adds the next events of the log, durably and unchanged. */
  add(events: readonly StoredEvent[]): Promise<void>
  close(): Promise<void>
}

/** A copy in one SQLite file, in which every event keeps its position. For one process only. */
export function openSqliteLogCopy(path: string): LogCopy {
  const store = openSqliteEventStore(path)
  const database = openSqlite(path, { part: 'event store', durability: 'full' })
  const insert = database.statement(
    'INSERT INTO events (position, stream, revision, id, type, data, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  return {
    store,
    async add(events) {
      for (const event of events) checkAppend(event.stream, event.revision, [event])
      database.transaction(() => {
        for (const { position, stream, revision, id, type, data, metadata } of events)
          insert.run(Number(position), stream, revision, id, type, data, metadata)
      })
    },
    async close() {
      database.close()
      await store.close()
    },
  }
}
