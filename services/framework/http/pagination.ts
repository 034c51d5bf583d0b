import type { Request, Response } from 'express'
import type { Query } from '#infra/read-model-store/read-model-store.ts'
import { LINK_HEADER, TOTAL_HEADER, TOTAL_RELATION_HEADER } from '#services/framework/api/headers.ts'
import { linkToNext, DEFAULT_ORDER } from '#services/framework/api/pagination-schemas.ts'
import type { DocumentPage } from '#services/event-sourcing/read-models/read-model-reader.ts'
import type { Total } from './list-total.ts'

/** Pagination of lists: their parameters and headers. */

/** The parameters of any list. */
export interface PageRequest {
  readonly search?: string | undefined
  readonly sort: string
  readonly limit: number
  readonly cursor?: string | undefined
}

/** A page as a query of the read model. `pathOf` says where a document has the field that is sorted by. */
export function pageOf(
  { search, sort, limit, cursor }: PageRequest,
  pathOf = (field: string) => field,
): Omit<Query, 'where'> {
  const descending = sort.startsWith('-')
  const by = pathOf(descending ? sort.slice(1) : sort)
  // Newest first is the order of creation: it has no ties and needs no field.
  const order = sort === DEFAULT_ORDER ? {} : { sort: { by, direction: descending ? -1 : 1 } as const }
  return { limit, ...order, ...(search && { search }), ...(cursor && { cursor }) }
}

/** Sets the headers with the total and the link to the next page. */
export function setPaginationHeaders(
  request: Request,
  response: Response,
  { next }: Pick<DocumentPage<unknown>, 'next'>,
  { count, exact }: Total,
): void {
  response.setHeader(TOTAL_HEADER, String(count))
  response.setHeader(TOTAL_RELATION_HEADER, exact ? 'exact' : 'at-least')
  if (next !== undefined) response.setHeader(LINK_HEADER, linkToNext(request.originalUrl, next))
}
