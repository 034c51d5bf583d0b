import { createHash } from 'node:crypto'
import { z } from 'zod'
import { CREATED, scalarAt } from './document-rules.ts'
import { BadCursor, type Document, type Page, type Query, type Scalar } from './read-model-store.ts'
import { folded } from './search-text.ts'

/** Where a page ended. */
export interface PageEnd {
  /** The last document's value of the path sorted by. */
  readonly value: Scalar
  /** Its number in the order in which documents were first written. */
  readonly made: number
}

/** A document that a query found, and its number in the order in which documents were first written. */
export interface FoundRow {
  readonly id: string
  readonly document: Document
  readonly made: number
}

/** The cursor of a page that ended there; it is valid for this query only. */
function toCursor(collection: string, query: Query, { value, made }: PageEnd): string {
  return Buffer.from(JSON.stringify([fingerprint(collection, query), value, made])).toString('base64url')
}

/** A page of the rows that a query found: one more than its limit, if there are more. */
export function toPage(collection: string, query: Query, rows: readonly FoundRow[]): Page {
  const page = rows.slice(0, query.limit)
  const last = rows.length > query.limit ? page.at(-1) : undefined
  const by = query.sort?.by ?? CREATED
  return {
    documents: page.map(({ id, document }) => ({ id, document })),
    next:
      last &&
      toCursor(collection, query, { value: by === CREATED ? null : scalarAt(last.document, by), made: last.made }),
  }
}

/** Where the page before a query's cursor ended, undefined for the first page. @throws {BadCursor} */
export function fromCursor(collection: string, query: Query): PageEnd | undefined {
  if (query.cursor === undefined) return undefined
  const [print, value, made] = parse(query.cursor)
  if (print !== fingerprint(collection, query)) throw new BadCursor('This cursor belongs to another query')
  return { value, made }
}

const cursorParts = z.tuple([z.string(), z.union([z.null(), z.boolean(), z.number(), z.string()]), z.int()])

function parse(cursor: string): z.infer<typeof cursorParts> {
  try {
    return cursorParts.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch (error) {
    throw new BadCursor('This is no cursor', { cause: error })
  }
}

function fingerprint(collection: string, { where = {}, search = '', sort }: Query): string {
  const conditions = Object.entries(where).sort(([one], [other]) => (one < other ? -1 : 1))
  const query = [collection, conditions, search.trim() === '' ? '' : folded(search), sort?.by, sort?.direction]
  return createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 12)
}
