import type { Sqlite, SqlValue } from '../sqlite/sqlite.ts'
import { checkQuery, CREATED, wantedValues } from './document-rules.ts'
import type { Page, Query } from './document-store.ts'
import { type FoundRow, fromCursor, type PageEnd, toPage } from './page-cursor.ts'
import { type Collection, type Collections, SELECT_KEYS } from './sqlite-collection.ts'
import { type Search, searchFor } from './sqlite-search.ts'

/**
 * How documents are found in SQLite: which index a query begins with.
 *
 * SQLite's own planner is not enough here. It knows how many rows a value of an index has on average, not that one value is
 * rare and another common (that takes STAT4, which libsql is built without). It believes that a full-text search is always
 * the best beginning, and it disregards LIMIT. With 1,000,000 users it takes 0.9 s to show the active ones by name.
 *
 * So what it can't know is counted first, no further than a limit, and the statement leaves SQLite one way to run it (INDEXED
 * BY, CROSS JOIN, or a + before a column whose index is not to be used). The first line that applies is the way:
 *
 * | the query …                               | the page is read from …                                                      |
 * |-------------------------------------------|------------------------------------------------------------------------------|
 * | has a filter that few match (`rare`)      | that filter's index, sorted                                                  |
 * | searches, and very few match (`listed`)   | the numbers of what has the text's parts, listed in one pass over the        |
 * |                                           | full-text index, sorted, checking the text                                   |
 * | searches, in the order of creation        | the full-text index, which is in that order                                  |
 * | searches, and few match (`sortable`)      | the full-text index, sorted                                                  |
 * | searches                                  | the order's index, looking at the first texts (`glance`); where those don't  |
 * |                                           | fill the page, the order's index again, with the search as a set of numbers  |
 * | has another order than that of creation   | the order's index, checking the filters                                      |
 * | has filters of one value                  | the index of the rarest of them, checking the others                         |
 * | has none of this                          | the keys, which are in the order of creation                                 |
 *
 * All of this reads keys. Documents are read for the page only.
 */

export interface Limits {
  /** If a filter matches fewer documents, they are sorted: an order's index would be read for 200 rows to find one of them. */
  readonly rare: number
  /** If a search matches fewer documents, they are listed once: in pages, and newest first, FTS5 would take two to three times as long. */
  readonly listed: number
  /** If a search matches fewer documents, they are sorted. */
  readonly sortable: number
  /** Texts that are looked at one by one. */
  readonly glance: number
}

const measured: Limits = { rare: 5_000, listed: 200, sortable: 50_000, glance: 2_000 }

export type DocumentQueries = ReturnType<typeof createDocumentQueries>

/** @param limits For tests: with the measured ones it takes very many documents to get to every way. */
export function createDocumentQueries(database: Sqlite, collections: Collections, limits: Limits = measured) {
  const { rare, listed, sortable } = limits
  const rowsOf = ({ sql, values }: Sql) => database.statement(sql).all(...values)

  const countRows = (from: string, conditions: readonly Sql[], atMost: number): number => {
    const { sql, values } = allOf(conditions)
    return Number(rowsOf({ sql: `SELECT count(*) AS count FROM (SELECT 1 FROM ${from} WHERE ${sql} LIMIT ?)`, values: [...values, atMost] })[0]?.['count'])
  }

  /** Filters with the number of their rows, the rarest first: where there are several, counted up to some more than are rare. */
  const countFilters = (collection: Collection, filters: readonly Filter[], isNeeded: boolean): CountedFilter[] => {
    const rowsOfOne = (filter: Filter): number => countRows(indexed(collection, filter.path), [filter], filters.length > 1 ? 4 * rare : rare)
    return filters
      .map((filter) => ({ ...filter, rows: isNeeded && collection.index(filter.path) ? rowsOfOne(filter) : Infinity }))
      .toSorted((one, other) => one.rows - other.rows)
  }

  /** Reads a page's documents along a way, one stretch of the order after the other. */
  const readAlong = ({ documents, parse }: Collection, order: Order, limit: number, way: Way): FoundRow[] => {
    const rows: FoundRow[] = []
    for (const stretch of order.stretches) {
      const { sql, values } = way(stretch, limit - rows.length)
      if (rows.length === limit) break
      const found = rowsOf({ sql: `SELECT d.seq, d.id, d.document FROM (${sql}) AS page CROSS JOIN ${documents} AS d ON d.seq = page.seq`, values })
      for (const { seq, id, document } of found) rows.push({ made: Number(seq), id: String(id), document: parse(String(id), String(document)) })
    }
    return rows
  }

  const findRows = (collection: Collection, query: Query, end: PageEnd | undefined, limit: number): FoundRow[] => {
    const question = questionOf(collection, query)
    if (!question) return []
    const { filters, search } = question
    const { keys } = collection
    const order = orderOf(collection, query, end)
    const read = (way: Way, other = order): FoundRow[] => readAlong(collection, other, limit, way)
    const sortPath = order.path

    // One value of a filter is in the order of creation already.
    const isInOrder = filters.length === 1 && filters[0]?.isOneValue && !search && sortPath === undefined
    const counted = countFilters(collection, filters, !isInOrder)
    const [rarest] = counted
    if (rarest && rarest.rows < rare) return read(select(indexed(collection, rarest.path), [...filters, ...contains(collection, search)], order))

    if (search) {
      const { texts, parts, matches, left } = search
      const numbers = rowsOf({ sql: `SELECT rowid AS seq FROM ${texts} WHERE ${texts} MATCH ? LIMIT ?`, values: [parts, listed] })
      if (numbers.length < listed) {
        const isListed = { sql: 'k.seq IN (SELECT value FROM json_each(?))', values: [JSON.stringify(numbers.map(({ seq }) => seq))] }
        return read(select(indexed(collection, undefined), [isListed, ...filters, ...contains(collection, search)], order))
      }
      const found = `${texts} CROSS JOIN ${keys} AS k ON k.seq = ${texts}.rowid`
      if (sortPath === undefined) {
        const inSearch = orderOf(collection, query, end, `${texts}.rowid`)
        return read(select(found, [matches, ...filters, ...left], inSearch), inSearch)
      }
      if (countRows(texts, [matches], sortable) < sortable) return read(select(found, [matches, ...filters, ...left], order))
      const glanced = read(glance(indexed(collection, sortPath), filters, order, contains(collection, search), limits.glance))
      if (glanced.length === limit) return glanced
      const isFound = { sql: `+k.seq IN (SELECT rowid FROM ${texts} WHERE ${matches.sql})`, values: matches.values }
      return read(select(indexed(collection, sortPath), [...filters, isFound, ...left], order))
    }

    if (sortPath !== undefined) return read(select(indexed(collection, sortPath), filters, order))
    const first = counted.find(({ isOneValue, path }) => isOneValue && collection.index(path))
    return read(select(indexed(collection, first?.path), filters, order))
  }

  return {
    find(name: string, query: Query): Page {
      const collection = collections.get(name)
      checkQuery(collection.definition, query)
      return toPage(name, query, findRows(collection, query, fromCursor(name, query), query.limit + 1))
    },

    count(name: string, query: Pick<Query, 'where' | 'search'>, atMost: number): number {
      const collection = collections.get(name)
      checkQuery(collection.definition, query)
      const question = questionOf(collection, query)
      if (!question) return 0
      const { filters, search } = question
      const [rarest] = countFilters(collection, filters, filters.length > 1 || search !== undefined)
      if (!search || (rarest && rarest.rows < rare)) return countRows(indexed(collection, rarest?.path), [...filters, ...contains(collection, search)], atMost)
      const { texts, matches, left } = search
      return countRows(`${texts} CROSS JOIN ${collection.keys} AS k ON k.seq = ${texts}.rowid`, [matches, ...filters, ...left], atMost)
    },
  }
}

/** A piece of SQL with its values. */
interface Sql {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** A condition that a path's key is one of some values. */
interface Filter extends Sql {
  readonly path: string
  readonly isOneValue: boolean
}

interface CountedFilter extends Filter {
  readonly rows: number
}

/** Keys by the index of a path, or in the order of creation where there is none. */
function indexed({ keys, index }: Collection, path: string | undefined): string {
  const name = path === undefined ? undefined : index(path)
  return name === undefined ? `${keys} AS k NOT INDEXED` : `${keys} AS k INDEXED BY ${name}`
}

/** Selects the numbers of the next documents in a stretch of the order. */
type Way = (stretch: readonly Sql[], limit: number) => Sql

function select(from: string, conditions: readonly Sql[], { terms }: Order): Way {
  return (stretch, limit) => {
    const { sql, values } = allOf([...conditions, ...stretch])
    return { sql: `SELECT k.seq FROM ${from} WHERE ${sql} ORDER BY ${terms} LIMIT ?`, values: [...values, limit] }
  }
}

/** Checks the first rows only. A subquery with a limit is run as it is, and its rows come in its order. */
function glance(from: string, conditions: readonly Sql[], order: Order, checks: readonly Sql[], rows: number): Way {
  return (stretch, limit) => {
    const first = select(from, conditions, order)(stretch, rows)
    const { sql, values } = allOf(checks)
    return { sql: `SELECT k.seq FROM (${first.sql}) AS k WHERE ${sql} LIMIT ?`, values: [...first.values, ...values, limit] }
  }
}

interface Order {
  /** Undefined for the order of creation. */
  readonly path: string | undefined
  /** For ORDER BY. */
  readonly terms: string
  /** What is left of the order after a page, in stretches that an index can begin at; it can't at an OR of them. */
  readonly stretches: readonly (readonly Sql[])[]
}

/** @param seq The number of a document, in the table that is in the order of creation. */
function orderOf({ key: keyOf }: Collection, { sort }: Query, end: PageEnd | undefined, seq = 'k.seq'): Order {
  const [word, beyond] = sort?.direction === 1 ? ['ASC', '>'] : ['DESC', '<']
  const later = end ? [{ sql: `${seq} ${beyond} ?`, values: [end.made] }] : []
  if (!sort || sort.by === CREATED) return { path: undefined, terms: `${seq} ${word}`, stretches: [later] }
  const key = keyOf(sort.by)
  const values = [JSON.stringify([end?.value])]
  const stretches = [[{ sql: `${key} = (${SELECT_KEYS})`, values }, ...later], [{ sql: `${key} ${beyond} (${SELECT_KEYS})`, values }]]
  return { path: sort.by, terms: `${key} ${word}, ${seq} ${word}`, stretches: end ? stretches : [[]] }
}

interface Question {
  readonly filters: readonly Filter[]
  readonly search: (Search & { readonly texts: string; readonly matches: Sql; readonly left: readonly Sql[] }) | undefined
}

/** @returns Undefined where no document can match. */
function questionOf(collection: Collection, { where = {}, search }: Pick<Query, 'where' | 'search'>): Question | undefined {
  const filters = Object.entries(where).map(([path, wanted]): Filter => {
    const values = wantedValues(wanted)
    const isOneValue = values.length === 1
    return { path, isOneValue, sql: `${collection.key(path)} ${isOneValue ? '=' : 'IN'} (${SELECT_KEYS})`, values: [JSON.stringify(values)] }
  })
  const sought = searchFor(search)
  if (sought === 'all') return { filters, search: undefined }
  const { texts } = collection
  if (sought === 'nothing' || texts === undefined) return undefined
  const matches = { sql: `${texts} MATCH ?`, values: [sought.phrase] }
  return { filters, search: { ...sought, texts, matches, left: sought.isExact ? [] : contains(collection, sought) } }
}

/** That the stored text contains what is searched for. */
function contains({ documents }: Collection, search: Search | undefined): Sql[] {
  return search ? [{ sql: `instr((SELECT search FROM ${documents} AS d WHERE d.seq = k.seq), ?) > 0`, values: [search.needle] }] : []
}

function allOf(conditions: readonly Sql[]): Sql {
  return { sql: conditions.map(({ sql }) => sql).join(' AND ') || '1', values: conditions.flatMap(({ values }) => values) }
}
