import type { Filter, Sort } from 'mongodb'
import type { Connection } from '#infra/mongodb/mongodb-connection.ts'
import { checkQuery, CREATED, isRange, parseDocument, wantedValues } from './document-rules.ts'
import type { DocumentStore, Query, Range, Scalar } from './read-model-store.ts'
import type { CollectionInMongodb, Collections } from './mongodb-collections.ts'
import { type Search, searchFor } from './mongodb-search.ts'
import { keyOf, type Stored } from './mongodb-stored-document.ts'
import { fromCursor, type PageEnd, toPage } from './page-cursor.ts'

type Condition = Filter<Stored>

/**
 * Queries in MongoDB. The server chooses the best index: it tries several and remembers the
 * quickest. A page continues in an index where the previous one ended.
 */
export function createDocumentQueries(
  { run }: Connection,
  collections: Collections,
): Pick<DocumentStore, 'find' | 'count'> {
  const rowsAfter = async (
    { documents }: CollectionInMongodb,
    conditions: readonly Condition[],
    order: Order,
    end: PageEnd | undefined,
    limit: number,
  ) => {
    const rows: Pick<Stored, '_id' | 'made' | 'document'>[] = []
    for (const stretch of stretchesAfter(end, order)) {
      if (rows.length >= limit) break
      const filter = { $and: [...conditions, ...stretch] }
      const options = { projection: { made: 1, document: 1 }, sort: sortOf(order), limit: limit - rows.length }
      rows.push(...(await run(() => documents.find(filter, options).toArray())))
    }
    return rows
  }

  return {
    async find(name, query) {
      const { limit, sort } = query
      const collection = await collections.get(name)
      checkQuery(collection.definition, query)
      const order = { by: sort?.by ?? CREATED, direction: sort?.direction ?? -1 }
      const end = fromCursor(name, query)
      const conditions = conditionsOf(collection, query)
      if (!conditions) return { documents: [], next: undefined }
      const rows = await rowsAfter(collection, conditions, order, end, limit + 1)
      const found = rows.map(({ _id, made, document }) => ({ id: _id, made, document: parseDocument(document ?? '') }))
      return toPage(name, query, found)
    },

    async count(name, query, atMost) {
      const collection = await collections.get(name)
      checkQuery(collection.definition, query)
      const conditions = conditionsOf(collection, query)
      return conditions && atMost > 0
        ? run(() => collection.documents.countDocuments({ $and: conditions }, { limit: atMost }))
        : 0
    },
  }
}

interface Order {
  readonly by: string
  readonly direction: 1 | -1
}

/** @returns Undefined where no document can match. */
function conditionsOf(
  { search: searched }: CollectionInMongodb,
  { where = {}, search }: Pick<Query, 'where' | 'search'>,
): Condition[] | undefined {
  const terms = Object.entries(where).map(([path, wanted]) => [keyOf(path), wantedValues(wanted)] as const)
  const sought = searchFor(search)
  if (terms.some(([, values]) => !isRange(values) && values.length === 0) || sought === 'nothing') return undefined
  if (sought !== 'all' && searched.length === 0) return undefined
  const wanted = terms.map(([key, values]): Condition => ({ [key]: accepted(values) }))
  return [{ gone: false }, ...wanted, ...(sought === 'all' ? [] : containing(sought))]
}

function accepted(values: Range | readonly Scalar[]): Condition | Scalar | undefined {
  if (isRange(values)) return { $gte: values.from, $lte: values.to }
  return values.length === 1 ? values[0] : { $in: [...new Set(values)] }
}

function containing({ grams, needle }: Search): Condition[] {
  const having = grams.map((gram): Condition => ({ grams: gram }))
  return needle === undefined
    ? having
    : [...having, { search: { $regex: needle.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`) } }]
}

/** What is left of an order after a page, in stretches that an index can begin at; it can't at an OR of them. */
function stretchesAfter(end: PageEnd | undefined, { by, direction }: Order): Condition[][] {
  if (!end) return [[]]
  const beyond = direction === 1 ? '$gt' : '$lt'
  const made: Condition = { made: { [beyond]: end.made } }
  if (by === CREATED) return [[made]]
  const key = keyOf(by)
  const { value } = end
  const types = typesAfter(value, direction).map((type): Condition[] => [
    type === 'null' ? { [key]: null } : { [key]: { $type: type } },
  ])
  const same: Condition[] = [{ [key]: value }, made]
  // A comparison finds only values of its own type.
  return value === null ? [same, ...types] : [same, [{ [key]: { [beyond]: value } }], ...types]
}

/** In MongoDB's order. */
const TYPES = ['null', 'number', 'string', 'bool'] as const

function typesAfter(value: Scalar, direction: 1 | -1): (typeof TYPES)[number][] {
  const type =
    value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value === 'number' ? 'number' : 'string'
  const at = TYPES.indexOf(type)
  return direction === 1 ? TYPES.slice(at + 1) : TYPES.slice(0, at).toReversed()
}

function sortOf({ by, direction }: Order): Sort {
  return by === CREATED ? { made: direction } : { [keyOf(by)]: direction, made: direction }
}
