import { describe, expect, it } from 'vitest'
import { countFound, countUpTo, totalOf } from './list-total.ts'

/** Counts this many entries, up to the requested bound. */
const counting = (entries: number) => async (atMost: number) => Math.min(entries, atMost)

describe('a total', () => {
  it.each([
    { entries: 0, total: { count: 0, exact: true } },
    { entries: 30, total: { count: 30, exact: true } },
    { entries: 31, total: { count: 30, exact: false } },
    { entries: 1_000_000, total: { count: 30, exact: false } },
  ])('of $entries entries is exact up to its bound of 30', async ({ entries, total }) => {
    expect(await countUpTo(30, counting(entries))).toEqual(total)
  })

  it('is what the only page shows, and counted for any other', async () => {
    const [count, page] = [async () => ({ count: 7, exact: true }), { documents: ['a', 'b'], next: undefined }]
    expect(await totalOf(page, {}, count)).toEqual({ count: 2, exact: true })
    expect(await totalOf({ ...page, next: 'more' }, {}, count)).toEqual({ count: 7, exact: true })
    expect(await totalOf(page, { cursor: 'the last page' }, count)).toEqual({ count: 7, exact: true })
  })

  it('of a search is at least the size of the page', async () => {
    expect(await countFound(1_000, counting(1_000))).toEqual({ count: 1_000, exact: true })
    const { count, exact } = await countFound(50, counting(100_000))
    expect(exact).toBe(false)
    expect(count).toBeGreaterThanOrEqual(50)
  })
})
