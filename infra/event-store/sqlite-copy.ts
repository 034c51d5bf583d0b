import { openSqlite } from '../sqlite/sqlite.ts'
import { checkAppend, type EventStore, type StoredEvent } from './event-store.ts'
import { openSqliteEventStore } from './sqlite-event-store.ts'

/** A copy of a log in the making. */
export interface LogCopy {
  /** What was copied so far. */
  readonly store: EventStore
  /** Adds what comes next in the log, durably, as it was stored. */
  add(events: readonly StoredEvent[]): Promise<void>
  close(): Promise<void>
}

/** A copy in one SQLite file, in which every event keeps its position. It is for one process, and nobody else appends. */
export function openSqliteLogCopy(path: string): LogCopy {
  const store = openSqliteEventStore(path)
  const database = openSqlite(path, { part: 'event store', durability: 'full' })
  const insert = database.statement('INSERT INTO events (position, stream, revision, id, type, data, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)')
  return {
    store,
    async add(events) {
      for (const event of events) checkAppend(event.stream, event.revision, [event])
      database.transaction(() => {
        for (const { position, stream, revision, id, type, data, metadata } of events) insert.run(Number(position), stream, revision, id, type, data, metadata)
      })
    },
    async close() {
      database.close()
      await store.close()
    },
  }
}
