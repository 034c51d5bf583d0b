import type { Row, Sqlite, SqlValue } from '../sqlite/sqlite.ts'
import { fromCursor, type Place, toCursor } from './cursor.ts'
import type { Catalogue } from './sqlite-catalogue.ts'
import { type Collection, CREATED, type Index, LIVING, parseDocument, scalarAt, splitPath, sqlValue } from './sqlite-collection.ts'
import { type Search, searchFor } from './sqlite-search.ts'
import type { Document, Page, Query, Scalar } from './view-store.ts'

/** Finds and counts living documents. */
export interface Finder {
  find(collection: string, query: Query): Page
  count(collection: string, query: Pick<Query, 'where' | 'search'>, atMost: number): number
}

/**
 * So many documents are fetched and sorted rather than walking in order past others that do not match. In a million,
 * a page of 50 costs about the same either way when one in 200 matches.
 */
const FEW = 5_000

/**
 * Three ways to a page, each by statements that say which index they use, as SQLite has no statistics to judge by:
 *
 * - walk an index that has just the documents asked for, in the order asked for;
 * - where an index (or the search) narrows it down to few, fetch those and sort them;
 * - otherwise walk in order and leave out what does not match: as many do, the page is soon full.
 */
export function openFinder(database: Sqlite, catalogue: Catalogue): Finder {
  /** How many rows there are, counted no further than `atMost`. */
  const countRows = ({ from, conditions }: Source, atMost: number): number => {
    const { sql, values } = all(conditions)
    const row = database.statement(`SELECT count(*) AS count FROM (SELECT 1 FROM ${from} WHERE ${sql} LIMIT ?)`).get(...values, atMost)
    return Number(row?.['count'])
  }
  const isFew = (source: Source): boolean => countRows(source, FEW + 1) <= FEW

  const pageOf = (collection: Collection, query: Query, question: Question, place: Place | undefined): Row[] => {
    const order = { by: query.sort?.by ?? CREATED, direction: query.sort?.direction ?? -1 }
    const limit = query.limit + 1
    const fetchAndSort = (source: Source): Row[] => {
      const value = order.by === CREATED ? undefined : collection.valueOf(order.by)
      const steps = stepsAfter(place, order.direction, value)
      const { sql, values } = all([...source.conditions, ...question.all, any(steps)])
      return rowsOf(`SELECT seq, id, document FROM ${source.from} WHERE ${sql} ORDER BY ${inOrder(order.direction, value)} LIMIT ?`, [...values, limit])
    }
    const rowsOf = (sql: string, values: readonly SqlValue[]): Row[] => database.statement(sql).all(...values)

    const walks = walksOf(collection, question, order.by)
    const perfect = walks.find(({ left }) => left.length === 0)
    const narrow = sourcesOf(collection, question)
    const few = perfect ? undefined : narrow.find(isFew)
    const walk = perfect ?? walks[0]
    if (few || !walk) return fetchAndSort(few ?? narrow[0] ?? everything(collection))

    const rows: Row[] = []
    for (const step of stepsAfter(place, order.direction, walk.value)) {
      if (rows.length >= limit) break
      const { sql, values } = walk.statement(step, order.direction, limit - rows.length)
      rows.push(...rowsOf(sql, values))
    }
    return rows
  }

  return {
    find(name, query) {
      if (!Number.isInteger(query.limit) || query.limit < 1) throw new TypeError(`Not a number of documents: ${query.limit}`)
      const collection = catalogue.get(name)
      const by = query.sort?.by ?? CREATED
      if (!collection.isIndexed(by)) throw new TypeError(`${name} has no index to sort by ${by}`)
      const place = fromCursor(name, query)
      const question = questionOf(collection, query)
      if (!question) return { documents: [], next: undefined }

      const rows = pageOf(collection, query, question, place)
      const documents = rows.slice(0, query.limit).map(toFound)
      const last = rows.length > query.limit ? documents.at(-1) : undefined
      const placeOf = ({ seq, document }: Found): Place => ({ value: by === CREATED ? null : scalarAt(document, splitPath(by)), made: seq })
      return {
        documents: documents.map(({ id, document }) => ({ id, document })),
        next: last && toCursor(name, query, placeOf(last)),
      }
    },

    count(name, query, atMost) {
      const collection = catalogue.get(name)
      const question = questionOf(collection, query)
      if (!question) return 0
      const narrow = sourcesOf(collection, question)
      const exact = narrow.find(({ left }) => left.length === 0)
      const source = exact ?? narrow.find(isFew) ?? narrow[0] ?? everything(collection)
      return countRows({ ...source, conditions: [...source.conditions, ...source.left] }, atMost)
    },
  }
}
