import { describe, expect, it } from 'vitest'
import { countFound, countUpTo } from './list-total.ts'

/** Counts so many entries, no further than it is asked to. */
const counting = (there: number) => async (atMost: number) => Math.min(there, atMost)

describe('a total', () => {
  it.each([
    { there: 0, total: { count: 0, exact: true } },
    { there: 30, total: { count: 30, exact: true } },
    { there: 31, total: { count: 30, exact: false } },
    { there: 1_000_000, total: { count: 30, exact: false } },
  ])('of $there entries is exact up to its bound of 30, and says where it is not', async ({ there, total }) => {
    expect(await countUpTo(30, counting(there))).toEqual(total)
  })

  it('of what a search finds is never less than the page that shows it', async () => {
    expect(await countFound(1_000, counting(1_000))).toEqual({ count: 1_000, exact: true })
    const { count, exact } = await countFound(50, counting(100_000))
    expect(exact).toBe(false)
    expect(count).toBeGreaterThanOrEqual(50)
  })
})
