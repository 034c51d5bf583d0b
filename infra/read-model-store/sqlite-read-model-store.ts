import { hostname } from 'node:os'
import { rmSync } from 'node:fs'
import { z } from 'zod'
import { type Row, type SqlValue, type Sqlite, openSqlite } from '#infra/sqlite/sqlite.ts'
import { toPosition } from '#infra/event-store/event-store.ts'
import type {
  DeadLetterStore,
  LeaseStore,
  ProjectionState,
  ProjectionStore,
  ReadModelStore,
} from './read-model-store.ts'
import { readStored } from './document-rules.ts'
import { createSqliteCheckpointStore } from './sqlite-checkpoint-store.ts'
import { createSqliteDocumentStore } from './sqlite-document-store.ts'
import { foreignTriggers } from './sqlite-collection.ts'
import { createErasure } from './sqlite-erasure.ts'

/**
 * Moving the write-ahead log into the file stops all requests until the disk has it: with 64 MB for about 50 ms. In a
 * longer log, a page that many transactions write is moved once.
 */
const LOG_LIMIT = 64_000_000

/**
 * Opens the read models in one SQLite file. Documents and checkpoints are committed together, so they always agree; and
 * no commit waits for the disk, because what a power cut takes is applied again from the log.
 */
export function openSqliteReadModelStore(path: string): ReadModelStore {
  const database = openSqlite(path, {
    part: 'view store',
    durability: 'normal',
    secureDelete: true,
    foreignIn: foreignTriggers,
    logLimit: LOG_LIMIT,
  })
  // Index writes are scattered: with SQLite's default cache of 2 MB nearly every write begins with a read.
  database.exec('PRAGMA cache_size = -32768')
  const { erasure, checkpoints, ...stores } = database.transaction(() => {
    const erasure = createErasure(database)
    const checkpoints = createSqliteCheckpointStore(database)
    const deadLetters = createSqliteDeadLetterStore(database)
    return {
      erasure,
      checkpoints,
      deadLetters,
      documents: createSqliteDocumentStore(database, checkpoints, erasure),
      projections: createSqliteProjectionStore(database),
      leases: createSqliteLeaseStore(database),
    }
  })

  return {
    ...stores,
    checkpoints,
    async ready() {
      database.ready()
    },
    async close() {
      erasure.close()
      checkpoints.wakeAll()
      database.close()
    },
  }
}

/** Deletes the file of a read-model store that is not open. */
export function removeSqliteReadModelStore(path: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
}

function createSqliteProjectionStore(database: Sqlite): ProjectionStore {
  database.exec(`CREATE TABLE IF NOT EXISTS projections (
    projection       TEXT PRIMARY KEY,
    serving          TEXT NOT NULL,
    building         TEXT,
    retired          TEXT NOT NULL,
    generation       INTEGER NOT NULL,
    rebuildRequested INTEGER NOT NULL,
    pace             TEXT
  ) STRICT`)
  const select = database.statement('SELECT * FROM projections WHERE projection = ?')
  const selectAll = database.statement('SELECT * FROM projections ORDER BY projection')

  const load = (projection: string): ProjectionState | undefined => {
    const row = select.get(projection)
    return row && toState(row)
  }

  return {
    load: async (projection) => load(projection),
    async loadAll() {
      return new Map(selectAll.all().map((row) => [String(row['projection']), toState(row)]))
    },
    async create(state) {
      const fields = Object.entries(toColumns(state))
      const names = fields.map(([name]) => name).join(', ')
      const insert = `INSERT INTO projections (${names}) VALUES (${fields.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`
      database.statement(insert).run(...fields.map(([, value]) => value))
      return load(state.projection) ?? state
    },
    async update(projection, change, expected = {}) {
      const [changed, known] = [Object.entries(toColumns(change)), Object.entries(toColumns(expected))]
      const set = ['projection = projection', ...changed.map(([name]) => `${name} = ?`)].join(', ')
      const where = ['projection = ?', ...known.map(([name]) => `${name} IS ?`)].join(' AND ')
      const values = [...changed.map(([, value]) => value), projection, ...known.map(([, value]) => value)]
      return database.statement(`UPDATE projections SET ${set} WHERE ${where}`).run(...values) > 0
    },
  }
}

function toColumns({ retired, rebuildRequested, pace, ...others }: Partial<ProjectionState>): Record<string, SqlValue> {
  return {
    ...others,
    ...(retired && { retired: JSON.stringify(retired) }),
    ...(rebuildRequested !== undefined && { rebuildRequested: rebuildRequested ? 1 : 0 }),
    ...(pace !== undefined && { pace: pace && JSON.stringify(pace) }),
  }
}

const json = z.string().transform((text): unknown => JSON.parse(text))
const columns = z.object({
  projection: z.string(),
  serving: z.string(),
  building: z.string().nullable(),
  retired: json.pipe(z.array(z.string())),
  generation: z.number(),
  rebuildRequested: z.number().transform((value) => value !== 0),
  pace: json.pipe(z.object({ collection: z.string(), at: z.number(), perSecond: z.number() })).nullable(),
})

function toState(row: Row): ProjectionState {
  return readStored(() => columns.parse(row))
}

function createSqliteDeadLetterStore(database: Sqlite): DeadLetterStore {
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

/** Owners in this process. Another owner that claims to be this process was one before it with the same process id. */
const ownersHere = new Set<string>()

function createSqliteLeaseStore(database: Sqlite): LeaseStore {
  database.exec(
    'CREATE TABLE IF NOT EXISTS leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL) STRICT',
  )
  const select = database.statement('SELECT holder, until FROM leases WHERE name = ?')
  const upsert = database.statement(`
    INSERT INTO leases (name, holder, until) VALUES (?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until`)
  const remove = database.statement('DELETE FROM leases WHERE name = ? AND holder = ?')

  return {
    async acquire(name, owner, ms) {
      ownersHere.add(owner)
      return database.transaction(() => {
        const row = select.get(name)
        const other = row && row['holder'] !== owner ? String(row['holder']) : undefined
        if (other !== undefined && isHeld(Number(row?.['until']), ms) && !isGone(other)) return false
        upsert.run(name, owner, Date.now() + ms)
        return true
      })
    },
    async release(name, owner) {
      remove.run(name, owner)
    },
  }
}

/** Nobody takes a lease for much longer than others would: one of the far future is someone else's. */
function isHeld(until: number, ms: number): boolean {
  const left = until - Date.now()
  return left > 0 && left <= 2 * ms
}

/** Whether an owner's process is known to be gone: its name begins with '<hostname>:<pid>:'. */
function isGone(owner: string): boolean {
  const [host, pid, rest] = owner.split(':')
  if (host !== hostname() || !pid || !/^[1-9]\d*$/.test(pid) || rest === undefined) return false
  if (Number(pid) === process.pid) return !ownersHere.has(owner)
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    // A process that may not be signalled exists.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
