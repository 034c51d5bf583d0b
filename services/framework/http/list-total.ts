import type { DocumentPage } from '#services/event-sourcing/read-models/read-model-reader.ts'

/** The total number of entries in a list. */
export interface Total {
  readonly count: number
  readonly exact: boolean
}

/** The bound of counts that use an index. */
export const COUNT_LIMIT = 1_000
/**
 * The bound of counts of a search, unless the requested page is larger. Each match must be read, so counting a common
 * name among a million would take longer than the page.
 */
const FOUND_LIMIT = 200

export const exactTotal = (count: number): Total => ({ count, exact: true })

/** The total of the list that a page is of: where it is the only page, what it shows; else it is counted. */
export async function totalOf(
  page: DocumentPage<unknown>,
  { cursor }: { readonly cursor?: string | undefined },
  count: () => Promise<Total>,
): Promise<Total> {
  return cursor === undefined && page.next === undefined ? exactTotal(page.documents.length) : count()
}

/** Counts up to a bound; the total is inexact when more exist. */
export async function countUpTo(bound: number, count: (atMost: number) => Promise<number>): Promise<Total> {
  const counted = await count(bound + 1)
  return counted > bound ? { count: bound, exact: false } : exactTotal(counted)
}

/** Counts the matches of a search, for pages of this size. */
export function countFound(limit: number, count: (atMost: number) => Promise<number>): Promise<Total> {
  return countUpTo(Math.max(FOUND_LIMIT, limit), count)
}
