import type { Sqlite, SqlValue } from '#infra/sqlite/sqlite.ts'
import { checkQuery, CREATED, isRange, wantedValues } from './document-rules.ts'
import type { Page, Query } from './read-model-store.ts'
import { fromCursor, type PageEnd, toPage } from './page-cursor.ts'
import { type Collection, type Collections, SELECT_KEYS } from './sqlite-collection.ts'
import { phraseFor } from './sqlite-search.ts'

/**
 * How documents are found in SQLite. Every index has all filters, so a page is found in the index of its order and only
 * its documents are read; what few documents pass is found in its own. SQLite's planner chooses the index; the + before a column keeps it from one that is slow for
 * what most documents have (docs/decisions/020-read-models-in-sqlite.md).
 */
export function createDocumentQueries(database: Sqlite, collections: Collections) {
  return {
    find(name: string, query: Query): Page {
      const collection = collections.get(name)
      checkQuery(collection.definition, query)
      const isFew = isSelective(collection, query)
      const order = orderOf(collection, query, fromCursor(name, query), isFew ? '+' : '')
      const phrase = phraseFor(query.search)
      if (!canMatch(collection, phrase)) return toPage(name, query, [])
      const { documents, parse } = collection
      // The matches of a search are walked in the order of creation, or looked up along another order.
      const sortedBy = query.sort?.by ?? CREATED
      const found =
        phrase === 'all'
          ? filtersOf(collection, query, sortedBy)
          : [...filtersOf(collection, query, sortedBy, '+'), matching(collection, phrase, isFew ? '+d.seq' : 'd.seq')]
      const { sql, values } = allOf([LIVING, ...found, ...order.after])
      const page = `SELECT d.seq FROM ${documents} AS d WHERE ${sql} ORDER BY ${order.terms} LIMIT ?`
      const rows = database
        .statement(
          `SELECT d.seq, d.id, d.document FROM (${page}) AS page CROSS JOIN ${documents} AS d ON d.seq = page.seq`,
        )
        .all(...values, query.limit + 1)
        .map(({ seq, id, document }) => ({
          made: Number(seq),
          id: String(id),
          document: parse(String(id), String(document)),
        }))
      return toPage(name, query, rows)
    },

    count(name: string, query: Pick<Query, 'where' | 'search'>, atMost: number): number {
      const collection = collections.get(name)
      checkQuery(collection.definition, query)
      const phrase = phraseFor(query.search)
      if (!canMatch(collection, phrase)) return 0
      const { documents, texts } = collection
      const filters = filtersOf(collection, query)
      // Only living documents have a text, so without filters the matches are counted as they come.
      const onlyText = phrase !== 'all' && filters.length === 0
      const found = phrase === 'all' ? filters : [...filters, matching(collection, phrase, '+d.seq')]
      const { sql, values } = onlyText ? { sql: `${texts} MATCH ?`, values: [phrase] } : allOf([LIVING, ...found])
      const count = `SELECT count(*) AS count FROM (SELECT 1 FROM ${onlyText ? texts : `${documents} AS d`} WHERE ${sql} LIMIT ?)`
      return Number(database.statement(count).get(...values, atMost)?.['count'])
    },
  }
}

/** A piece of SQL with its values. */
interface Sql {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

const LIVING: Sql = { sql: 'd.living = 1', values: [] }

function canMatch({ texts }: Collection, phrase: string): boolean {
  return phrase === 'all' || (phrase !== 'nothing' && texts !== undefined)
}

/**
 * @param order A range of another field than the order's does not choose the index: most documents may be in it, and all
 *   of them would be sorted.
 * @param prefix '+' keeps SQLite from choosing the index by these filters.
 */
function filtersOf(
  collection: Collection,
  { where = {} }: Pick<Query, 'where'>,
  order?: string,
  prefix: '' | '+' = '',
): Sql[] {
  const isFew = isSelective(collection, { where })
  return Object.entries(where).map(([path, wanted]) => {
    const [column, values] = [collection.key(path), wantedValues(wanted)]
    // Null is less than any number, texts and booleans are more.
    if (isRange(values)) {
      const chooses = prefix === '' && !isFew && (order === undefined || order === path)
      return { sql: `${chooses ? '' : '+'}${column} BETWEEN ? AND ?`, values: [values.from, values.to] }
    }
    const key = `${isFew ? (isSelectivePath(collection, path) ? '' : '+') : prefix}${column}`
    return { sql: `${key} ${values.length === 1 ? '=' : 'IN'} (${SELECT_KEYS})`, values: [JSON.stringify(values)] }
  })
}

function isSelectivePath({ definition: { selective = [] } }: Collection, path: string): boolean {
  return selective.includes(path)
}

/** Whether a filter leaves so few documents that they are looked up by it, whatever the order. */
function isSelective(collection: Collection, { where = {} }: Pick<Query, 'where'>): boolean {
  return Object.entries(where).some(
    ([path, wanted]) => isSelectivePath(collection, path) && !isRange(wantedValues(wanted)),
  )
}

/** @param seq The number of a document; with '+' it is only looked up among the matches. */
function matching({ texts }: Collection, phrase: string, seq: 'd.seq' | '+d.seq'): Sql {
  return { sql: `${seq} IN (SELECT rowid FROM ${texts} WHERE ${texts} MATCH ?)`, values: [phrase] }
}

interface Order {
  /** For ORDER BY. */
  readonly terms: string
  /** What is left of the order after a page. */
  readonly after: readonly Sql[]
}

/** @param prefix '+' keeps SQLite from walking the index of the order. */
function orderOf({ key: keyOf }: Collection, { sort }: Query, end: PageEnd | undefined, prefix: '' | '+'): Order {
  const [word, beyond] = sort?.direction === 1 ? ['ASC', '>'] : ['DESC', '<']
  if (!sort || sort.by === CREATED)
    return { terms: `d.seq ${word}`, after: end ? [{ sql: `d.seq ${beyond} ?`, values: [end.made] }] : [] }
  const key = `${prefix}${keyOf(sort.by)}`
  const after = end
    ? [{ sql: `(${key}, d.seq) ${beyond} ((${SELECT_KEYS}), ?)`, values: [JSON.stringify([end.value]), end.made] }]
    : []
  return { terms: `${key} ${word}, d.seq ${word}`, after }
}

function allOf(conditions: readonly Sql[]): Sql {
  return { sql: conditions.map(({ sql }) => sql).join(' AND '), values: conditions.flatMap(({ values }) => values) }
}
