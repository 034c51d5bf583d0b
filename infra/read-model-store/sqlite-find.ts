import type { Sqlite } from '../sqlite/sqlite.ts'
import { fromCursor, type Place, toCursor } from './cursor.ts'
import type { Catalogue } from './sqlite-catalogue.ts'
import type { Collection } from './sqlite-collection.ts'
import { CREATED, parseDocument, scalarAt, splitPath } from './documents.ts'
import { all, any, type Condition } from './sqlite-conditions.ts'
import {
  everything,
  type Lookup,
  lookupsOf,
  type Order,
  type Question,
  questionOf,
  sortedBy,
  type Source,
  stretchesAfter,
  type Walk,
  walksOf,
} from './sqlite-ways.ts'
import type { Document, Page, Query } from './read-model-store.ts'

/** Finds and counts living documents. */
export interface Finder {
  find(collection: string, query: Query): Page
  count(collection: string, query: Pick<Query, 'where' | 'search'>, atMost: number): number
}

/** As many documents are fetched and sorted, rather than walking in order past others. */
const FEW = 2_000
/** As many documents are looked at for a page, before that is done without reading those that do not match. */
const GLANCE = 2_000
/** Up to so many numbers gathered, one lookup tells enough. */
const MANY = 20_000

/**
 * The ways to a page; SQLite is told which index to use on each, as it has no statistics to judge by:
 *
 * - walk an index that has just the documents asked for, in the order asked for;
 * - where an index or the search narrows it down to few, fetch those and sort them;
 * - walk in order and leave out what does not match. Where many match, the page is soon full. Or it isn't, as all that
 *   match come last: then the numbers of those that match are gathered first, and no others are read.
 */
export function openFinder(database: Sqlite, catalogue: Catalogue): Finder {
  const rowsOf = ({ sql, values }: Condition): Found[] =>
    database
      .statement(sql)
      .all(...values)
      .map((row) => ({
        seq: Number(row['seq']),
        id: String(row['id']),
        document: parseDocument(String(row['document'])),
      }))

  /** How many rows there are, counted no further than `atMost`. */
  const countRows = (from: string, conditions: readonly Condition[], atMost: number): number => {
    const { sql, values } = all(conditions)
    const row = database.statement(`SELECT count(*) AS count FROM (SELECT 1 FROM ${from} WHERE ${sql} LIMIT ?)`).get(...values, atMost)
    return Number(row?.['count'])
  }
  const isWithin =
    (most: number) =>
    ({ index, conditions }: Lookup): boolean =>
      countRows(index, conditions, most + 1) <= most

  const fetchAndSort = ({ from, conditions, left }: Source, order: Order, place: Place | undefined, limit: number): Found[] => {
    const { sql, values } = all([...conditions, ...left, any(stretchesAfter(place, order).map(all))])
    return rowsOf({ sql: `SELECT seq, id, document FROM ${from} WHERE ${sql} ORDER BY ${sortedBy(order)} LIMIT ?`, values: [...values, limit] })
  }

  const walkOn = (walk: Walk, lookups: readonly Lookup[], place: Place | undefined, limit: number): Found[] => {
    const rows: Found[] = []
    for (const stretch of walk.stretchesAfter(place)) {
      if (rows.length < limit) rows.push(...rowsOf(walk.select(stretch, limit - rows.length, lookups)))
    }
    return rows
  }

  /** Undefined when the page is not full after as many documents as may be looked at. */
  const glanceAlong = ({ glance, stretchesAfter: after }: Walk, place: Place | undefined, limit: number): Found[] | undefined => {
    const rows: Found[] = []
    for (const stretch of glance ? after(place) : []) {
      const looking = glance?.(stretch, limit - rows.length, GLANCE)
      if (looking) rows.push(...rowsOf(looking.found))
      if (rows.length >= limit) return rows
      if (looking && database.statement(looking.more.sql).get(...looking.more.values)) return undefined
    }
    return glance && rows
  }

  const rowsAfter = (collection: Collection, question: Question, order: Order, place: Place | undefined, limit: number): Found[] => {
    const lookups = lookupsOf(collection, question)
    const walks = walksOf(collection, question, order)
    const perfect = walks.find(({ left }) => left.length === 0)
    if (perfect) return walkOn(perfect, [], place, limit)
    const few = lookups.find(isWithin(FEW))
    const [walk] = walks
    if (few || !walk) return fetchAndSort(few ?? lookups[0] ?? everything(collection, question), order, place, limit)
    const helpful = lookups.filter(walk.helps)
    const page = helpful.length > 0 ? glanceAlong(walk, place, limit) : undefined
    if (page) return page
    const telling = helpful.length > 1 ? helpful.find(isWithin(MANY)) : undefined
    return walkOn(walk, telling ? [telling] : helpful, place, limit)
  }

  return {
    find(name, query) {
      const { limit, sort } = query
      if (!Number.isInteger(limit) || limit < 1) throw new TypeError(`Not a number of documents: ${limit}`)
      const collection = catalogue.get(name)
      const by = sort?.by ?? CREATED
      if (!collection.isIndexed(by)) throw new TypeError(`${name} has no index to sort by ${by}`)
      const place = fromCursor(name, query)
      const question = questionOf(collection, query)
      if (!question) return { documents: [], next: undefined }

      const value = by === CREATED ? undefined : collection.valueOf(by)
      const rows = rowsAfter(collection, question, { by, value, direction: sort?.direction ?? -1 }, place, limit + 1)
      const page = rows.slice(0, limit)
      const last = rows.length > limit ? page.at(-1) : undefined
      return {
        documents: page.map(({ id, document }) => ({ id, document })),
        next: last && toCursor(name, query, { value: value ? scalarAt(last.document, splitPath(by)) : null, made: last.seq }),
      }
    },

    count(name, query, atMost) {
      const collection = catalogue.get(name)
      const question = questionOf(collection, query)
      if (!question) return 0
      const lookups = lookupsOf(collection, question)
      const exact = lookups.find(({ left }) => left.length === 0)
      if (exact) return countRows(exact.index, exact.conditions, atMost)
      // With one way only there is nothing to choose.
      const few = lookups.length > 1 ? lookups.find(isWithin(FEW)) : undefined
      const { from, conditions, left } = few ?? lookups[0] ?? everything(collection, question)
      return countRows(from, [...conditions, ...left], atMost)
    },
  }
}

interface Found {
  readonly seq: number
  readonly id: string
  readonly document: Document
}
