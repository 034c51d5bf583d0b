import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toPosition } from '#infra/event-store/event-store.ts'
import { openSqlite, type Sqlite } from '#infra/sqlite/sqlite.ts'
import type { Query } from './read-model-store.ts'
import { createCollections } from './sqlite-collection.ts'
import { createDocumentQueries } from './sqlite-document-queries.ts'
import { createSqliteDocumentStore } from './sqlite-document-store.ts'

const users = {
  name: 'users',
  filters: ['status', 'country', 'logins', 'team'],
  selective: ['team'],
  sorts: ['fullName', 'status', 'logins'],
  search: ['fullName'],
}

let folder: string
let database: Sqlite

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'proofdesk-queries-'))
  database = openSqlite(join(folder, 'views.db'), { part: 'view store', durability: 'normal' })
  const nothing = (): void => {}
  const store = createSqliteDocumentStore(
    database,
    { put: nothing, wakeAll: nothing },
    { request: nothing, close: nothing },
  )
  await store.create(users)
  await store.createIndexes(users)
  const documents = Array.from({ length: 30 }, (_, n) => ({
    fullName: `Ann ${n}`,
    status: 'active',
    logins: n,
    country: ['de', 'fr', null][n % 3] ?? null,
    team: `team ${n % 2}`,
  }))
  await store.write(
    'users',
    documents.map((document, n) => ({ id: String(n), document, position: toPosition('1'), expected: null })),
  )
})
afterAll(() => {
  database.close()
  rmSync(folder, { recursive: true })
})

/** SQLite's plans for the statements of two pages of a query, and of its count. */
function plansOf(query: Partial<Query>): string[] {
  const plans: string[] = []
  const explained: Sqlite = {
    ...database,
    statement(sql) {
      const explain = (values: Parameters<ReturnType<Sqlite['statement']>['all']>) =>
        plans.push(
          ...database
            .statement(`EXPLAIN QUERY PLAN ${sql}`)
            .all(...values)
            .map(({ detail }) => String(detail)),
        )
      const statement = database.statement(sql)
      return {
        ...statement,
        all: (...values) => (explain(values), statement.all(...values)),
        get: (...values) => (explain(values), statement.get(...values)),
      }
    },
  }
  const queries = createDocumentQueries(explained, createCollections(database))
  const { next } = queries.find('users', { ...query, limit: 3 })
  expect(next).toBeDefined()
  queries.find('users', { ...query, limit: 3, ...(next && { cursor: next }) })
  queries.count('users', query, 10)
  return plans
}

const wheres: NonNullable<Query['where']>[] = [
  {},
  { status: 'active' },
  { country: ['de', 'fr'] },
  { status: 'active', country: 'de' },
]
const sorts = [
  undefined,
  ...['created', 'fullName', 'status'].flatMap((by) => [{ by, direction: 1 } as const, { by, direction: -1 } as const]),
]
const queries = wheres.flatMap((where) =>
  sorts.flatMap((sort) =>
    [undefined, 'ann'].map((search): Partial<Query> => ({ where, ...(sort && { sort }), ...(search && { search }) })),
  ),
)
// A range in its own order is a part of that order's index; in another order all of that one is looked through.
const ranges = [{}, { country: 'de' }].flatMap((where) =>
  [{ by: 'logins', direction: 1 } as const, ...sorts].map((sort): Partial<Query> => ({
    where: { ...where, logins: { from: 2, to: 28 } },
    ...(sort && { sort }),
  })),
)

// A plan that sorts reads every match; a plan that reads the table reads whole documents.
it.each([...queries, ...ranges])(
  'a page and a count of %j come from an index that has all they need, in its order',
  (query) => {
    const plans = plansOf(query)
    expect(
      plans.filter(
        (detail) =>
          /^(SCAN|SEARCH) d\b/.test(detail) &&
          !/ COVERING INDEX /.test(detail) &&
          !detail.endsWith('USING INTEGER PRIMARY KEY (rowid=?)'),
      ),
    ).toEqual([])
    // Two pages and a count, which needs no documents where it counts the matches of a search alone.
    const counted = query.search !== undefined && Object.keys(query.where ?? {}).length === 0 ? 0 : 1
    expect(plans.filter((detail) => / d USING COVERING INDEX "?index:users:/.test(detail))).toHaveLength(2 + counted)
    expect(plans.filter((detail) => detail.startsWith('USE TEMP B-TREE'))).toEqual([])
  },
)

const few = sorts.flatMap((sort) =>
  [undefined, 'ann'].flatMap((search) => [{ ...(sort && { sort }), ...(search && { search }) }]),
)
it.each(few)('what few pass is looked up in its own index, with %j too', (query) => {
  const plans = plansOf({ ...query, where: { team: 'team 1', status: 'active', logins: { from: 2, to: 28 } } })
  const used = plans.flatMap((detail) => /INDEX index:users:(\w+ \(living=\? AND \$.team=\?)/.exec(detail)?.[1] ?? [])
  expect(used).toEqual(Array.from({ length: 3 }, () => 'team (living=? AND $.team=?'))
})
