import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { CreateRateLimit } from './rate-limit.ts'

/** The promises of every rate limit. */
export const rateLimitConformance = (name: string, open: () => CreateRateLimit) =>
  describe(name, () => {
    const rule = (tries: number, seconds = 600) => open()({ name: randomUUID(), attempts: tries, seconds })

    it('grants a number of tries, then says how long to wait', async () => {
      const limit = rule(3)
      for (let tried = 0; tried < 3; tried++) expect(await limit.take('ada')).toBe(0)
      const wait = await limit.take('ada')
      expect(wait).toBeGreaterThan(0)
      expect(wait).toBeLessThanOrEqual(600_000)
    })

    it('grants no more to concurrent callers', async () => {
      const limit = rule(10)
      const waits = await Promise.all(Array.from({ length: 40 }, () => limit.take('ada')))
      expect(waits.filter((wait) => wait === 0)).toHaveLength(10)
    })

    it('counts each key and each rule separately', async () => {
      const [limit, other] = [rule(1), rule(1)]
      expect(await limit.take('ada')).toBe(0)
      expect(await limit.take('grace:ada*? żółw')).toBe(0)
      expect(await other.take('ada')).toBe(0)
      expect(await limit.take('ada')).toBeGreaterThan(0)
    })

    it('does not count a refunded try', async () => {
      const limit = rule(2)
      await limit.take('ada')
      await limit.take('ada')
      await limit.refund('ada')
      expect(await limit.take('ada')).toBe(0)
      expect(await limit.take('ada')).toBeGreaterThan(0)
    })

    it('clears the tries of one key only', async () => {
      const limit = rule(1)
      await limit.take('ada')
      await limit.take('grace')
      await limit.clear('ada')
      expect(await limit.take('ada')).toBe(0)
      expect(await limit.take('grace')).toBeGreaterThan(0)
      await limit.clear('nobody')
    })

    it('grants tries again after the period', async () => {
      const limit = rule(1, 1)
      expect(await limit.take('ada')).toBe(0)
      expect(await limit.take('ada')).toBeGreaterThan(0)
      await expect.poll(() => limit.take('ada'), { timeout: 60_000, interval: 50 }).toBe(0)
    })
  })
