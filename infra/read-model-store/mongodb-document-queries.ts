import type { Filter, Sort } from 'mongodb'
import type { Connection } from '../mongodb/mongodb-connection.ts'
import { fromCursor, type Place, toCursor } from './cursor.ts'
import { CREATED, parseDocument, scalarAt, splitPath } from './documents.ts'
import type { Collections, Kept } from './mongodb-collections.ts'
import { type Search, searchFor } from './mongodb-search.ts'
import { keyOf, type Stored } from './mongodb-stored.ts'
import type { Page, Query, Scalar } from './read-model-store.ts'

/** Finds and counts living documents. */
export interface Finder {
  find(collection: string, query: Query): Promise<Page>
  count(collection: string, query: Pick<Query, 'where' | 'search'>, atMost: number): Promise<number>
}

type Condition = Filter<Stored>

/**
 * A query's conditions stand in the words of the indexes, and the server judges which of them is best: it tries several
 * and remembers which was quickest. A page goes on in an index from where the one before ended.
 */
export function openFinder({ run }: Connection, collections: Collections): Finder {
  const rowsAfter = async ({ documents }: Kept, asked: readonly Condition[], order: Order, place: Place | undefined, limit: number) => {
    const rows: Pick<Stored, '_id' | 'made' | 'document'>[] = []
    for (const stretch of stretchesAfter(place, order)) {
      if (rows.length >= limit) break
      const filter = { $and: [...asked, ...stretch] }
      const options = { projection: { made: 1, document: 1 }, sort: sortOf(order), limit: limit - rows.length }
      rows.push(...(await run(() => documents.find(filter, options).toArray())))
    }
    return rows
  }

  return {
    async find(name, query) {
      const { limit, sort } = query
      if (!Number.isInteger(limit) || limit < 1) throw new TypeError(`Not a number of documents: ${limit}`)
      const kept = await collections.get(name)
      const order = { by: sort?.by ?? CREATED, direction: sort?.direction ?? -1 }
      if (!kept.isIndexed(order.by)) throw new TypeError(`${name} has no index to sort by ${order.by}`)
      const place = fromCursor(name, query)
      const asked = conditionsOf(kept, query)
      if (!asked) return { documents: [], next: undefined }
      const rows = await rowsAfter(kept, asked, order, place, limit + 1)
      const page = rows.slice(0, limit).map(({ _id, made, document }) => ({ id: _id, made, document: parseDocument(document ?? '') }))
      const last = rows.length > limit ? page.at(-1) : undefined
      const valueOf = (document: Page['documents'][number]['document']) => (order.by === CREATED ? null : scalarAt(document, splitPath(order.by)))
      return {
        documents: page.map(({ id, document }) => ({ id, document })),
        next: last && toCursor(name, query, { value: valueOf(last.document), made: last.made }),
      }
    },

    async count(name, query, atMost) {
      const kept = await collections.get(name)
      const asked = conditionsOf(kept, query)
      return asked && atMost > 0 ? run(() => kept.documents.countDocuments({ $and: asked }, { limit: atMost })) : 0
    },
  }
}

interface Order {
  readonly by: string
  readonly direction: 1 | -1
}

/** @returns Undefined for what no document can answer. */
function conditionsOf({ search: searched }: Kept, { where = {}, search }: Pick<Query, 'where' | 'search'>): Condition[] | undefined {
  const terms = Object.entries(where).map(([path, wanted]) => ({ key: keyOf(path), values: [...new Set(isList(wanted) ? wanted : [wanted])] }))
  const sought = searchFor(search)
  if (terms.some(({ values }) => values.length === 0) || sought === 'nothing') return undefined
  if (sought !== 'all' && searched.length === 0) return undefined
  const wanted = terms.map(({ key, values }): Condition => ({ [key]: values.length === 1 ? values[0] : { $in: values } }))
  return [{ gone: false }, ...wanted, ...(sought === 'all' ? [] : containing(sought))]
}

function containing({ grams, needle }: Search): Condition[] {
  const having = grams.map((gram): Condition => ({ grams: gram }))
  return needle === undefined ? having : [...having, { search: { $regex: needle.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`) } }]
}

/** What comes after a place in an order, in stretches that an index has in this order; an OR of them it would not. */
function stretchesAfter(place: Place | undefined, { by, direction }: Order): Condition[][] {
  if (!place) return [[]]
  const beyond = direction === 1 ? '$gt' : '$lt'
  const made: Condition = { made: { [beyond]: place.made } }
  if (by === CREATED) return [[made]]
  const key = keyOf(by)
  const { value } = place
  const types = typesAfter(value, direction).map((type): Condition[] => [type === 'null' ? { [key]: null } : { [key]: { $type: type } }])
  const same: Condition[] = [{ [key]: value }, made]
  // A comparison finds only values of its own type.
  return value === null ? [same, ...types] : [same, [{ [key]: { [beyond]: value } }], ...types]
}

/** In MongoDB's order. */
const TYPES = ['null', 'number', 'string', 'bool'] as const

function typesAfter(value: Scalar, direction: 1 | -1): (typeof TYPES)[number][] {
  const type = value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value === 'number' ? 'number' : 'string'
  const at = TYPES.indexOf(type)
  return direction === 1 ? TYPES.slice(at + 1) : TYPES.slice(0, at).toReversed()
}

function sortOf({ by, direction }: Order): Sort {
  return by === CREATED ? { made: direction } : { [keyOf(by)]: direction, made: direction }
}

function isList(wanted: Scalar | readonly Scalar[]): wanted is readonly Scalar[] {
  return Array.isArray(wanted)
}
