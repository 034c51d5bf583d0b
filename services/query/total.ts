/** How many entries a list has in all. */
export interface Total {
  readonly count: number
  readonly exact: boolean
}

/** Matches of a search are counted up to here: counting a common word among a million would take longer than the page. */
export const MOST_COUNTED = 1_000

export const exactly = (count: number): Total => ({ count, exact: true })

/** Counts up to the bound, and says whether it was met. */
export async function countUpTo(count: (atMost: number) => Promise<number>): Promise<Total> {
  const counted = await count(MOST_COUNTED + 1)
  return counted > MOST_COUNTED ? { count: MOST_COUNTED, exact: false } : exactly(counted)
}
