import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DocumentModel } from '../../test-support/document-model.ts'
import { toPosition } from '../event-store/event-store.ts'
import { openSqlite, type Sqlite } from '../sqlite/sqlite.ts'
import type { Document, Query } from './document-store.ts'
import { createCollections } from './sqlite-collection.ts'
import { createDocumentQueries, type DocumentQueries, type Limits } from './sqlite-document-queries.ts'
import { createSqliteDocumentStore } from './sqlite-document-store.ts'

const users = { name: 'users', filters: ['status', 'country'], sorts: ['fullName', 'balance', 'rank'], search: ['fullName', 'email'] }
const DOCUMENTS = 1_500
/** The first are unlike all others: where they come last, a page is long in coming. */
const user = (n: number): Document => ({
  fullName: `${['Anna', 'Berta', 'Cäsar', 'Dora'][n % 4]} ${n % 100 === 0 ? 'Smith' : `Jones${n % 37}`}`,
  email: n < 500 ? 'founder@example.com' : `person${n}@example.com`,
  status: n < 500 ? 'early' : (['active', 'pending', 'breached'][n % 3] ?? null),
  country: n % 400 === 0 ? 'it' : (['de', 'fr', null][n % 3] ?? null),
  balance: n % 11 === 0 ? null : (n * 7919) % 1_000,
  rank: n,
})

let folder: string
let database: Sqlite
let model: DocumentModel
/** The statements since it was last emptied. */
const asked: { readonly sql: string; readonly values: readonly unknown[] }[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'proofdesk-queries-'))
  database = openSqlite(join(folder, 'views.db'), { part: 'view store', durability: 'normal' })
  const nothing = (): void => {}
  const store = createSqliteDocumentStore(database, { put: nothing, wakeAll: nothing }, { request: nothing, close: nothing })
  const writes = Array.from({ length: DOCUMENTS }, (_, n) => ({ id: String(n), document: user(n), position: toPosition('1'), expected: null }))
  await store.create(users)
  await store.createIndexes(users)
  await store.write('users', writes)
  model = new DocumentModel(users.search)
  model.write(writes)
})
afterAll(() => {
  database.close()
  rmSync(folder, { recursive: true })
})

/** Queries with these limits, whose statements are recorded. */
function queriesAt(limits: Limits): DocumentQueries {
  asked.length = 0
  const noting: Sqlite = {
    ...database,
    statement(sql) {
      const statement = database.statement(sql)
      return {
        ...statement,
        all(...values) {
          asked.push({ sql, values })
          return statement.all(...values)
        },
      }
    },
  }
  return createDocumentQueries(noting, createCollections(database), limits)
}

/** SQLite's plans of the recorded statements, except counts and lists of what a search finds. */
function plans(): string[] {
  return asked
    .filter(({ sql }) => !sql.includes('count(*)') && !sql.startsWith('SELECT rowid'))
    .flatMap(({ sql, values }) => {
      const scalars = values.map((value) => (typeof value === 'string' || typeof value === 'number' ? value : null))
      return database
        .statement(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...scalars)
        .map(({ detail }) => String(detail))
    })
}

describe('queries in SQLite', () => {
  const all: Limits = { rare: 0, listed: 0, sortable: 0, glance: 0 }
  const byName = { by: 'fullName', direction: 1 } as const
  const byBalance = { by: 'balance', direction: -1 } as const

  const ways: [way: string, query: Partial<Query>, limits: Limits, plan: RegExp, isSorted?: boolean][] = [
    [
      'a rare filter by its own index, sorted',
      { where: { country: 'it' }, sort: byName },
      { ...all, rare: 10 },
      /^SEARCH k USING INDEX keys:users:country \(\$\.country=\?\)/,
      true,
    ],
    ['a search that very few match by their numbers', { search: 'smith', sort: byName }, { ...all, listed: 100 }, /^SEARCH k USING INTEGER PRIMARY KEY/, true],
    ['a search in the order of creation by the text index', { search: 'jones' }, all, /^SCAN texts:users VIRTUAL TABLE INDEX \d+:M/],
    [
      'a search in another order by the text index, sorted',
      { search: 'smith', sort: byName },
      { ...all, sortable: 100 },
      /^SCAN texts:users VIRTUAL TABLE INDEX \d+:M/,
      true,
    ],
    [
      'a search that matches most by the first rows of the order',
      { search: 'jones', sort: byName },
      { ...all, glance: 100 },
      /^SCAN k USING COVERING INDEX keys:users:fullName/,
    ],
    [
      'any other search by the order, among the rows found',
      { search: 'smith', sort: byName },
      { ...all, glance: 10 },
      /^SCAN k USING COVERING INDEX keys:users:fullName/,
    ],
    ['another order by its index', { where: { status: 'active' }, sort: byBalance }, all, /^SCAN k USING COVERING INDEX keys:users:balance/],
    ['filters by the rarest one', { where: { country: 'it', status: 'early' } }, all, /^SEARCH k USING COVERING INDEX keys:users:country \(\$\.country=\?\)/],
    ['several values of a filter by the order of creation', { where: { status: ['active', 'early'] } }, all, /^SCAN k/],
    ['everything by the order of creation', {}, all, /^SCAN k/],
  ]
  it.each(ways)('read %s', (_, query, limits, plan, isSorted = false) => {
    const queries = queriesAt(limits)
    const page = queries.find('users', { limit: 3, ...query })
    expect(page.documents.map(({ id }) => id)).toEqual(
      model
        .find(query)
        .slice(0, 3)
        .map(({ id }) => id),
    )
    const found = plans()
    expect(
      found.some((detail) => plan.test(detail)),
      found.join('\n'),
    ).toBe(true)
    expect(found.some((detail) => detail === 'USE TEMP B-TREE FOR ORDER BY')).toBe(isSorted)
  })

  it.each<Partial<Query>>([
    {},
    { sort: byName },
    { sort: byBalance },
    { where: { status: 'active' } },
    { where: { status: 'active' }, sort: byBalance },
    { search: 'jones' },
  ])('continue a page where it ended: %j', (query) => {
    const { next = '' } = queriesAt(all).find('users', { limit: 5, ...query })
    const queries = queriesAt(all)
    queries.find('users', { limit: 5, ...query, cursor: next })
    for (const detail of plans().filter((each) => /^(SCAN|SEARCH) (k|texts:users)\b/.test(each))) {
      // The text index gets the row to begin after, too.
      expect(detail).toMatch(/^SEARCH|VIRTUAL TABLE INDEX \d+:M\d*[<>]/)
    }
  })

  it('find only what contains a text in one piece, not what has its parts', () => {
    // Most Annas have ann, one and nes.
    for (const listed of [0, 10_000]) expect(queriesAt({ ...all, listed }).find('users', { search: 'annones', limit: 50 }).documents).toEqual([])
  })

  it('find and count the same on every way', () => {
    const sometimes = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
    const statuses = ['active', 'pending', 'breached', 'early', 'none']
    const anyLimits = fc.record({
      rare: fc.constantFrom(0, 10, 10_000),
      listed: fc.constantFrom(0, 20, 10_000),
      sortable: fc.constantFrom(0, 100, 10_000),
      glance: fc.constantFrom(0, 50, 10_000),
    })
    const anyQuery = fc.record({
      where: fc.record(
        {
          status: fc.oneof(fc.constantFrom(...statuses), fc.subarray(statuses)),
          country: fc.oneof(fc.constantFrom('de', 'it', null), fc.subarray(['de', 'fr', 'it', null])),
        },
        { requiredKeys: [] },
      ),
      search: sometimes(fc.constantFrom('smith', 'founder', 'example.com', 'jones1', 'annones', 'son12@example.com', 'an', 's', 'xyz', 'r smi', ' ')),
      sort: sometimes(fc.record({ by: fc.constantFrom('created', 'fullName', 'balance', 'rank'), direction: fc.constantFrom(1 as const, -1 as const) })),
    })
    fc.assert(
      fc.property(anyLimits, anyQuery, fc.constantFrom(7, 40, 2_000), (limits, { where, search, sort }, limit) => {
        const query = { where, ...(search !== undefined && { search }), ...(sort && { sort }) }
        const expected = model.find(query).map(({ id }) => id)
        const queries = queriesAt(limits)
        const first = queries.find('users', { ...query, limit })
        const second = first.next === undefined ? undefined : queries.find('users', { ...query, limit, cursor: first.next })
        expect([...first.documents, ...(second?.documents ?? [])].map(({ id }) => id)).toEqual(expected.slice(0, 2 * limit))
        expect(queries.count('users', query, 1_000)).toBe(Math.min(1_000, expected.length))
      }),
      { numRuns: 300 },
    )
  })
})
