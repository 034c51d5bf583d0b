import type { Request, Response } from 'express'
import type { Query } from '../../infra/read-model-store/read-model-store.ts'
import { DEFAULT_ORDER, LINK_HEADER, linkToNext, type SortField, TOTAL_HEADER, TOTAL_RELATION_HEADER } from '../api/index.ts'
import type { DocumentPage } from '../event-sourcing/projections/read-models.ts'
import type { Total } from './list-total.ts'

/** Pages of lists, as they are asked for and told. */

/** What any list is asked for. */
export interface PageRequest {
  readonly search?: string | undefined
  readonly sort: string
  readonly limit: number
  readonly cursor?: string | undefined
}

/** The field of a document for each field that a list can be sorted by. */
export type SortPaths<Order extends string> = Readonly<Record<SortField<Order>, string>>

/** A page as a query of the read model. */
export function pageOf({ search, sort, limit, cursor }: PageRequest, orders: Readonly<Record<string, string>>): Omit<Query, 'where'> {
  const descending = sort.startsWith('-')
  const by = orders[descending ? sort.slice(1) : sort]
  // Newest first is the order in which documents were made: it has no ties and needs no field.
  const order = sort === DEFAULT_ORDER || by === undefined ? {} : { sort: { by, direction: descending ? -1 : 1 } as const }
  return { limit, ...order, ...(search && { search }), ...(cursor && { cursor }) }
}

/** Tells in headers how long the list is and where its next page begins. */
export function setPaginationHeaders(request: Request, response: Response, { next }: DocumentPage<unknown>, { count, exact }: Total): void {
  response.setHeader(TOTAL_HEADER, String(count))
  response.setHeader(TOTAL_RELATION_HEADER, exact ? 'exact' : 'at-least')
  if (next !== undefined) response.setHeader(LINK_HEADER, linkToNext(request.originalUrl, next))
}
