import { z } from 'zod'
import type { Row, Sqlite, SqlValue } from '#infra/sqlite/sqlite.ts'
import { readStored } from './document-rules.ts'
import type { ProjectionState, ProjectionStore } from './projection-store.ts'

export function createSqliteProjectionStore(database: Sqlite): ProjectionStore {
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
