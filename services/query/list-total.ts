/** How many entries a list has in all. */
export interface Total {
  readonly count: number
  readonly exact: boolean
}

/** Entries are counted up to here, where an index can do it. */
export const COUNT_LIMIT = 1_000
/**
 * What a search finds is counted up to here, or as far as the page asked for goes: each match is read to be sure of it, and
 * counting a common name among a million would take longer than the page.
 */
const FOUND_LIMIT = 200

export const exactTotal = (count: number): Total => ({ count, exact: true })

/** Counts up to a bound, and says whether it was met. */
export async function countUpTo(bound: number, count: (atMost: number) => Promise<number>): Promise<Total> {
  const counted = await count(bound + 1)
  return counted > bound ? { count: bound, exact: false } : exactTotal(counted)
}

/** Counts what a search finds, for pages of so many. */
export function countFound(limit: number, count: (atMost: number) => Promise<number>): Promise<Total> {
  return countUpTo(Math.max(FOUND_LIMIT, limit), count)
}
