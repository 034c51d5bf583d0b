import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import Libsql from 'libsql'
import { z } from 'zod'
import type { Sqlite, SqlValue } from '../infra/sqlite/sqlite.ts'
import { addTexts, type NumberedText, removeTexts } from '../infra/read-model-store/sqlite-search.ts'
import { openSqliteViewStore } from '../infra/read-model-store/sqlite.ts'
import { allProjections } from '../services/projections/index.ts'
import { inputOf, say, scratchFolder } from './children.ts'
import { type RecordedWrite, recordedWrite } from './projection-run.ts'

/**
 * Writes what a projection wrote, and does nothing else: the same rows in the same transactions to the same tables with
 * the same indexes, one prepared statement a row, and the search where its texts did change. Plain: each row is inserted or,
 * where it was there before, updated. Sharp: updated only in the columns that did change, so that most indexes are left
 * alone. What it takes to find out what did change, and to read the recording, is not timed.
 */

const { recording, sharp } = inputOf(z.object({ recording: z.string(), sharp: z.boolean() }))

const path = join(scratchFolder('floor'), 'views.sqlite')
const opened = new Set<string>()
const viewStore = openSqliteViewStore(path)
await openAll(recording)
await viewStore.close()

const database = new Libsql(path)
database.exec('PRAGMA journal_mode = WAL')
database.exec('PRAGMA synchronous = NORMAL')
database.exec('PRAGMA secure_delete = ON')
database.exec('PRAGMA cache_size = -32768')
database.exec('PRAGMA wal_autocheckpoint = 16000')

interface Work {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

const statements = new Map<string, Libsql.Statement<[readonly SqlValue[]]>>()
/** The row that each document has now. */
const rows = new Map<string, readonly SqlValue[]>()
let ms = 0
let cpu = 0

for await (const line of linesOf(recording)) {
  const { timed, ...write } = recordedWrite.parse(JSON.parse(line))
  const prepared = workOf(write).map(({ sql, values }) => [statementOf(sql), values] as const)
  const began = performance.now()
  const before = process.cpuUsage()
  database.exec('BEGIN IMMEDIATE')
  for (const [statement, values] of prepared) statement.run(values)
  database.exec('COMMIT')
  if (timed) {
    ms += performance.now() - began
    const { user, system } = process.cpuUsage(before)
    cpu += (user + system) / 1000
  }
}
say({ ms, cpu })
process.disconnect()

function statementOf(sql: string): Libsql.Statement<[readonly SqlValue[]]> {
  const known = statements.get(sql)
  if (known) return known
  const prepared = database.prepare<[readonly SqlValue[]]>(sql)
  statements.set(sql, prepared)
  return prepared
}

function workOf({ collection, checkpoint, position, columns, rows: written }: Omit<RecordedWrite, 'timed'>): Work[] {
  const table = `"${collection}:documents"`
  const isSearched = allProjections.some((view) => collection.startsWith(`${view.name.replaceAll('-', '_')}_v`) && view.collection(collection).search)
  const [seqAt, idAt, searchAt] = [columns.indexOf('seq'), columns.indexOf('id'), columns.indexOf('search')]
  const documents: Work[] = []
  const removed: NumberedText[] = []
  const added: NumberedText[] = []
  for (const row of written.map((values) => values.map(sqlValue))) {
    const seq = Number(row[seqAt])
    const name = `${collection} ${String(row[idAt])}`
    const before = rows.get(name)
    rows.set(name, row)
    const text = String(row[searchAt])
    const textBefore = before && String(before[searchAt])
    const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
    if (!sharp) {
      const set = columns.filter((column) => column !== 'seq' && column !== 'id').map((column) => `${column} = excluded.${column}`)
      documents.push({ sql: `${insert} ON CONFLICT (id) DO UPDATE SET ${set.join(', ')}`, values: row })
    } else if (!before) documents.push({ sql: insert, values: row })
    else {
      const changed = columns.flatMap((column, n) => (isSame(before[n], row[n]) ? [] : [{ column, value: row[n] ?? null }]))
      const set = changed.map(({ column }) => `${column} = ?`).join(', ')
      documents.push({ sql: `UPDATE ${table} SET ${set} WHERE seq = ?`, values: [...changed.map(({ value }) => value), seq] })
    }
    if (!isSearched || text === textBefore) continue
    if (textBefore) removed.push({ seq, text: textBefore })
    if (text) added.push({ seq, text })
  }
  const progress = {
    sql: 'INSERT INTO progress (reader, checkpoint, position) VALUES (?, ?, ?) ON CONFLICT (reader) DO UPDATE SET checkpoint = excluded.checkpoint, position = excluded.position',
    values: [collection, checkpoint, position],
  }
  const search = `"${collection}:search"`
  const [out, into] = [caught((sqlite) => removeTexts(sqlite, search, removed)), caught((sqlite) => addTexts(sqlite, search, added))]
  return [...out, ...documents, ...into, progress]
}

/** What a function of the view store would write. */
function caught(work: (sqlite: Sqlite) => void): Work[] {
  const written: Work[] = []
  const run = (sql: string, values: SqlValue[]): number => written.push({ sql, values })
  const nothing = (): void => {}
  work({
    path,
    statement: (sql) => ({ run: (...values) => run(sql, values), get: () => undefined, all: () => [] }),
    exec: nothing,
    transaction: (inner) => inner(),
    checkpoint: nothing,
    checkpointIfFree: () => true,
    ready: nothing,
    close: nothing,
  })
  return written
}

function sqlValue(value: RecordedWrite['rows'][number][number]): SqlValue {
  return typeof value === 'object' && value !== null ? Buffer.from(value.blob, 'base64') : value
}

function isSame(one: SqlValue | undefined, other: SqlValue | undefined): boolean {
  return one instanceof Uint8Array && other instanceof Uint8Array ? Buffer.compare(one, other) === 0 : one === other
}

/** Makes the tables as the view store makes them. */
async function openAll(file: string): Promise<void> {
  for await (const line of linesOf(file)) {
    const [, collection = ''] = /"collection":"([^"]+)"/.exec(line.slice(0, 200)) ?? []
    const view = allProjections.find(({ name }) => collection.startsWith(`${name.replaceAll('-', '_')}_v`))
    if (!view || opened.has(collection)) continue
    opened.add(collection)
    await viewStore.open(view.collection(collection))
  }
}

function linesOf(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file), crlfDelay: Infinity })
}
