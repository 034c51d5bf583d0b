import { EventEmitter } from 'node:events'
import { resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { Unavailable } from '#infra/failures.ts'
import { openSqlite, type Row, type Sqlite } from '#infra/sqlite/sqlite.ts'
import {
  checkAppend,
  CheckpointBeyondEnd,
  isPosition,
  toCheckpoint,
  toPosition,
  WrongRevision,
  type Appended,
  type Checkpoint,
  type EventBatch,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type StoredEvent,
  type SubscribeOptions,
} from './event-store.ts'

const part = 'event store'
/** Waiting appends are committed at once when they are this many. */
const fullGroup = 256
/** A page is worked on at once: some ms, even before V8 has compiled the code. */
const largestPage = 200
/** How large the write-ahead log may grow, in bytes: all requests wait while it is moved into the file. */
const LOG_LIMIT = 16_000_000
/** How often, in ms, a subscription at the end looks for other processes' events: less often after a quiet while. */
const polls = { often: 10, seldom: 50, while: 1000 }

/** Stores of this process notify each other of appends, by the path of their file. */
const appended = new EventEmitter().setMaxListeners(0)

const SCHEMA = `
    CREATE TABLE IF NOT EXISTS events (
      position INTEGER PRIMARY KEY,
      stream   TEXT NOT NULL,
      revision INTEGER NOT NULL,
      id       TEXT NOT NULL,
      type     TEXT NOT NULL,
      data     TEXT NOT NULL,
      metadata TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX IF NOT EXISTS events_by_stream ON events (stream, revision);
`

/** A row so far behind the one before it was not appended, and is no part of the log: the log goes on without it. */
const LARGEST_GAP = 1_000_000

interface WaitingAppend {
  readonly stream: string
  readonly expected: ExpectedRevision
  readonly events: readonly EventToAppend[]
  resolve(outcome: Appended): void
  reject(error: Error): void
}

/**
 * The event log in one SQLite file, which several processes may share. Every append is on the disk before it is
 * answered.
 */
export function openSqliteEventStore(path: string): EventStore {
  const database = openSqlite(path, { part, schema: SCHEMA, durability: 'full', logLimit: LOG_LIMIT })
  const log = prepareLogStatements(database)
  const name = resolve(path)
  let queue: WaitingAppend[] = []
  let scheduled: NodeJS.Immediate | undefined

  /** Subscriptions at the end of the log, each with the position it has seen. */
  const waiting = new Map<() => void, number>()
  let polling: NodeJS.Timeout | undefined
  let grewAt = -Infinity

  // Group commit: appends of one turn of the event loop share a transaction, and so one wait for the disk.
  const commit = (): void => {
    clearImmediate(scheduled)
    scheduled = undefined
    const group = queue
    queue = []
    if (group.length === 0) return
    let outcomes: readonly (Appended | WrongRevision)[]
    try {
      outcomes = database.transaction(() => log.write(group))
    } catch (error) {
      const failure = error instanceof Unavailable ? error : new Unavailable(part, { cause: error })
      for (const { reject } of group) reject(failure)
      return
    }
    for (const [index, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[index]
      if (outcome instanceof WrongRevision) reject(outcome)
      else if (outcome) resolve(outcome)
    }
    appended.emit(name)
  }

  const wake = (isDue: (seen: number) => boolean): void => {
    for (const [reader, seen] of waiting) if (isDue(seen)) reader()
  }
  const wakeAll = (): void => wake(() => true)
  appended.on(name, wakeAll)

  const poll = (): void => {
    try {
      const end = log.end()
      wake((seen) => seen < end)
    } catch {
      // Each reader meets the failure itself when it reads.
      wakeAll()
    }
    polling =
      waiting.size === 0
        ? undefined
        : setTimeout(poll, performance.now() - grewAt < polls.while ? polls.often : polls.seldom)
  }

  /** Resolves when the log has grown beyond `seen`, when only reading can tell, or when `signal` aborts. */
  const growth = (seen: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const go = (): void => {
        signal.removeEventListener('abort', go)
        waiting.delete(go)
        grewAt = performance.now()
        resolve()
      }
      // Either may have happened while the reader was busy.
      if (signal.aborted || log.end() > seen) return resolve()
      signal.addEventListener('abort', go)
      waiting.set(go, seen)
      polling ??= setTimeout(poll, polls.often)
    })

  return {
    async append(stream, expected, events) {
      checkAppend(stream, expected, events)
      return new Promise((resolve, reject) => {
        queue.push({ stream, expected, events, resolve, reject })
        if (queue.length >= fullGroup) commit()
        else scheduled ??= setImmediate(commit)
      })
    },

    async *readStream(stream, from = 0, pageSize = largestPage) {
      // Usually a cached stream has nothing new. To know it takes a fifth of the time of reading nothing.
      if (from > 0 && following(log.revisionOf(stream)) <= from) return
      for (let next = from; ;) {
        const page = log.readStream(stream, next, pageSize)
        const last = page.at(-1)
        if (!last) return
        yield page
        if (page.length < pageSize) return
        next = last.revision + 1
        // Yield between the pages of a long stream.
        await turn()
      }
    },

    async *subscribe(after, { signal, batchSize = 500 }: SubscribeOptions): AsyncGenerator<EventBatch> {
      if (signal.aborted) return
      let seen = log.seenAt(after)
      let knowsTheEnd = false
      while (!signal.aborted) {
        const events = log.readAll(seen, batchSize)
        const last = events.at(-1)
        const caughtUp = events.length < batchSize
        if (last) seen = Number(last.position)
        if (last || !knowsTheEnd) {
          yield { events, checkpoint: toCheckpoint(String(seen)), position: toPosition(String(seen)), caughtUp }
        }
        knowsTheEnd = caughtUp
        if (signal.aborted) return
        // A reader that catches up yields between batches.
        if (caughtUp) await growth(seen, signal)
        else await turn()
      }
    },

    end: async () => toPosition(String(log.end())),

    checkpointAtEnd: async () => toCheckpoint(String(log.end())),

    async strays(after) {
      return [
        ...log.outside().map(({ position, stream, revision }) => ({
          kind: 'outside' as const,
          says: `${stream}#${revision} is at position ${position}, which follows none`,
        })),
        ...log.gaps(Number(after)).map(({ first, last }) => ({
          kind: 'gap' as const,
          says: first === last ? `event ${first} is missing` : `events ${first} to ${last} are missing`,
        })),
      ]
    },

    ready: async () => database.ready(),

    async close() {
      commit()
      appended.off(name, wakeAll)
      database.close()
      clearTimeout(polling)
      wakeAll()
    },
  }
}

function prepareLogStatements(database: Sqlite) {
  // A larger cache: appends to many streams touch many pages of the index.
  database.exec('PRAGMA cache_size = -16000')

  const selectEnd = database.statement('SELECT max(position) AS position FROM events')
  const selectRevision = database.statement('SELECT max(revision) AS revision FROM events WHERE stream = ?')
  const selectIds = database.statement(
    'SELECT id, position FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?',
  )
  const selectEndWithin = database.statement(
    'SELECT max(position) AS position FROM events WHERE position > ?1 AND position <= ?1 + ?2',
  )
  const selectOutside = database.statement(
    'SELECT CAST(position AS TEXT) AS position, stream, revision FROM events WHERE position <= 0 OR position > ? LIMIT 10',
  )
  const selectGaps = database.statement(`
    SELECT before + 1 AS first, position - 1 AS last FROM (
      SELECT position, lag(position) OVER (ORDER BY position) AS before FROM events WHERE position >= ? AND position <= ?
    ) WHERE position > before + 1 LIMIT 10`)
  const selectStream = database.statement(
    // As the log: what someone moved before its beginning is in neither.
    'SELECT * FROM events WHERE stream = ? AND revision >= ? AND position > 0 ORDER BY revision LIMIT ?',
  )
  const selectAll = database.statement('SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?')
  const insert = database.statement('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)')

  /** The last known end. */
  let known = 0
  /** The position of the last event, 0 when there is none. */
  const end = (): number => {
    const position = selectEnd.get()?.['position']
    const last = typeof position === 'number' ? position : 0
    if (last >= known && last - known <= LARGEST_GAP) return (known = last)
    known = 0
    for (let next: unknown = 0; typeof next === 'number';) {
      known = next
      next = selectEndWithin.get(known, LARGEST_GAP)?.['position']
    }
    return known
  }
  /** Leaves out what is beyond the end. */
  const untilEnd = (events: StoredEvent[]): StoredEvent[] => {
    if (events.every(({ position }) => Number(position) - known <= LARGEST_GAP)) return events
    const last = end()
    return events.filter(({ position }) => Number(position) <= last)
  }

  const revisionOf = (stream: string): ExpectedRevision => {
    const revision = selectRevision.get(stream)?.['revision']
    return typeof revision === 'number' ? revision : 'none'
  }

  /** The first result, if exactly these events already exist at the expected revision. */
  const written = ({ stream, expected, events }: WaitingAppend): Appended | undefined => {
    const first = following(expected)
    const rows = selectIds.all(stream, first, events.length)
    const position = rows.at(-1)?.['position']
    if (rows.length < events.length || typeof position !== 'number') return undefined
    if (rows.some((row, index) => row['id'] !== events[index]?.id)) return undefined
    return { revision: first + events.length - 1, position: toPosition(String(position)) }
  }

  return {
    end,
    revisionOf,
    /** Writes a group of appends within the surrounding transaction; a refused one does not affect the others. */
    write(group: readonly WaitingAppend[]): (Appended | WrongRevision)[] {
      let position = end()
      return group.map((append) => {
        const { stream, expected, events } = append
        const actual = revisionOf(stream)
        if (actual !== expected) return written(append) ?? new WrongRevision(stream, expected, actual)
        let revision = following(expected)
        for (const { id, type, data, metadata } of events)
          if (insert.run(++position, stream, revision++, id, type, data, metadata) !== 1)
            throw new Error(`${database.path} did not store event ${position}`)
        return { revision: revision - 1, position: toPosition(String(position)) }
      })
    },
    readStream: (stream: string, from: number, limit: number) =>
      untilEnd(selectStream.all(stream, from, limit).map(toEvent)),
    readAll: (after: number, limit: number) => untilEnd(selectAll.all(after, limit).map(toEvent)),
    /** Rows that are no part of the log. */
    outside: () => selectOutside.all(end()),
    /** Positions that no row has, from an event on. */
    gaps: (from: number) => selectGaps.all(from, end()),
    /** The position of a checkpoint. @throws {CheckpointBeyondEnd} */
    seenAt(checkpoint: Checkpoint | undefined): number {
      if (checkpoint === undefined) return 0
      if (!isPosition(checkpoint)) throw new TypeError(`Not a checkpoint of this event store: ${checkpoint}`)
      const last = end()
      if (Number(checkpoint) > last) throw new CheckpointBeyondEnd(checkpoint, toPosition(String(last)))
      return Number(checkpoint)
    },
  }
}

/** The next revision. */
function following(revision: ExpectedRevision): number {
  return revision === 'none' ? 0 : revision + 1
}

function toEvent({ position, stream, revision, id, type, data, metadata }: Row): StoredEvent {
  if (
    typeof position !== 'number' ||
    typeof stream !== 'string' ||
    typeof revision !== 'number' ||
    typeof id !== 'string' ||
    typeof type !== 'string' ||
    typeof data !== 'string' ||
    typeof metadata !== 'string'
  )
    throw new TypeError('The event log has an invalid row')
  return { stream, revision, position: toPosition(String(position)), id, type, data, metadata }
}
